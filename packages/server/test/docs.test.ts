/** The tables of the documentation are made from the code; `npx vitest run -u docs` writes them anew. */

import { readFile } from 'node:fs/promises';
import { eventTypes } from '@commonplace/contract/events';
import { MemoryKind } from '@commonplace/contract/memories';
import { permissionNames, permissions, Role } from '@commonplace/contract/permissions';
import { expect, test } from 'vitest';
import { settings } from '../src/config.ts';

const docs = new URL('../../../docs/', import.meta.url).pathname;

test('docs/permissions.md says what the table of permissions says', async () => {
  const rows = permissionNames.map((name) => {
    const { allows, roles, grantable } = permissions[name];
    const held = Role.options.map((role) => ((roles as readonly string[]).includes(role) ? 'yes' : ''));
    return `| \`${name}\` | ${allows} | ${held.join(' | ')} | ${grantable ? 'yes' : ''} |`;
  });
  const page = [
    '# Roles and permissions',
    '',
    'A user holds what their role in a workspace gives. An access key holds the permissions that were chosen for it, out of those marked in the last column, in',
    'its own workspace only. Admins touch no owners; the last owner can be neither removed nor demoted; anyone may remove themselves.',
    '',
    'A key may also be limited to agents (`agentIds` when it is made, 1 to 50 of the workspace). Other agents and everything of theirs are then not found; the list of agents, the search of',
    'the whole workspace, the statistics and the usage show and count what is of its own agents (of the latter two: agents, sessions, messages and memories; the rest is the workspace’s). Prompts and documents belong to no agent: there its permissions alone decide. Such a key',
    'makes no agents, since it could not see them. An agent that is deleted stays in `agentIds` and names nothing any more; a key whose agents are all gone sees none.',
    '',
    '| Permission | Lets the caller | owner | admin | readonly | access key |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
  await expect(page).toMatchFileSnapshot(`${docs}permissions.md`);
});

test('docs/configuration.md says what the configuration reads', async () => {
  const rows = settings.map(({ name, meaning, allowed, fallback }) => `| \`${name}\` | ${meaning} | ${allowed} | ${fallback} |`);
  const page = [
    '# Configuration',
    '',
    'By environment only, read and checked once at start. A value that can’t be used stops the start with a message that names the variable, what it got and what is allowed.',
    '',
    '| Variable | Meaning | Allowed | Unless told |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
  await expect(page).toMatchFileSnapshot(`${docs}configuration.md`);
});

test.for(['memory.md', 'guide/sessions.md'])('docs/%s names every kind of memory', async (page) => {
  const text = await readFile(`${docs}${page}`, 'utf8');
  expect(MemoryKind.options.filter((kind) => !text.includes(`\`${kind}\``))).toEqual([]);
});

test('docs/events.md names every type of event', async () => {
  const text = await readFile(`${docs}events.md`, 'utf8');
  expect(eventTypes.filter((type) => !text.includes(`\`${type}\``))).toEqual([]);
});
