import { grantablePermissions, permissionNames, Role, roleHolds } from '@commonplace/contract/permissions';
import { expect, test, vi } from 'vitest';
import { everyPermission, permissionsOf, places, presetNames, presetOf, presets, summaryOf } from './key-presets.ts';

test('the matrix offers what the service lets a key hold, each in a place of its own', () => {
  expect([...everyPermission].sort()).toEqual([...grantablePermissions].sort());
  expect(new Set(Object.values(places).map(String)).size).toBe(everyPermission.length);
});

test('a preset is known again by what it holds, and by nothing more or less', () => {
  for (const name of presetNames) {
    const permissions = permissionsOf(name);
    expect(presetOf([...permissions].reverse())).toBe(name);
    expect(presetOf(permissions.slice(1))).toBeUndefined();
  }
  expect(summaryOf(permissionsOf('runtime'))).toBe(presets.runtime.label);
  expect(summaryOf(['CAN_GET_AGENT'])).toBe('Custom');
  expect(presetNames.map((name) => permissionsOf(name).length)).toEqual([20, 14, 4, 31]);
});

test('what a role may do is what the service says', async () => {
  // The module's client asks for its own address.
  vi.stubGlobal('window', { location: { origin: 'http://127.0.0.1' } });
  const { roleCan } = await import('./permissions.ts');
  for (const role of Role.options) {
    for (const permission of permissionNames) expect(roleCan(role, permission), `${role} ${permission}`).toBe(roleHolds(role, permission));
  }
});
