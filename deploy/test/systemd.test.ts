/** The systemd unit: what it promises, and what systemd itself says of it. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../packages/server/src/cli/spawn-for-test.ts';
import { canUseDebianRoot } from '../../packages/server/test/debian-root.ts';
import { findPrograms } from '../../packages/server/test/programs.ts';
import { deployFolder } from '../check/places.ts';

const unit = readFileSync(join(deployFolder, 'commonplace.service'), 'utf8');
const [analyze] = findPrograms('systemd-analyze');
if (!analyze && process.env.CI && canUseDebianRoot()) throw new Error('Tests: no systemd-analyze; apt-get install systemd');
if (!analyze) console.warn('Tests: systemd is not installed, and its unit not verified');
const MOST_EXPOSED = 2;

const valuesOf = (name: string) => [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value as string);

test('it has a user of its own, and may write to its own folder alone', () => {
  const [folder] = valuesOf('StateDirectory');
  expect(valuesOf('Environment')).toContain(`COMMONPLACE_DATA_DIR=/var/lib/${folder}`);
  expect({ user: valuesOf('DynamicUser'), system: valuesOf('ProtectSystem'), rights: valuesOf('NoNewPrivileges') }).toEqual({
    user: ['yes'],
    system: ['strict'],
    rights: ['yes'],
  });
  expect(valuesOf('ReadWritePaths')).toEqual([]);
});

test('it runs the service of the package by the Node inside, and gives it longer to stop than it takes', () => {
  const [, node, program, command] = /^(\S+) (\S+) (\S+)$/.exec(valuesOf('ExecStart')[0] as string) ?? [];
  const installed = '/opt/commonplace/node_modules/@commonplace/server';
  expect([node, program, command]).toEqual([`${installed}/dist/node/bin/node`, `${installed}/bin/commonplace.js`, 'serve']);
  expect(Number.parseInt(valuesOf('TimeoutStopSec')[0] as string, 10)).toBeGreaterThan(30);
});

if (analyze)
  test('systemd has nothing to say against it', () => {
    const file = join(temporaryFolder(), 'commonplace.service');
    // It looks for the program, which is not installed here.
    writeFileSync(file, unit.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`));
    const verified = spawnSync(analyze as string, ['verify', '--man=no', file], { encoding: 'utf8' });
    expect(verified).toMatchObject({ status: 0, stdout: '', stderr: expect.not.stringContaining('commonplace.service') });
    const { stdout } = spawnSync(analyze as string, ['security', '--offline=true', '--no-pager', file], { encoding: 'utf8' });
    expect(Number(/exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1])).toBeLessThan(MOST_EXPOSED);
  });
