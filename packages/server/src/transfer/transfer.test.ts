import { expect } from 'vitest';
import { openApi, test } from '../../test/api.ts';
import { contentsOf, exportOf, importInto, linesOf, newFullWorkspace } from '../../test/transfer.ts';

test('a workspace is taken out, brought into another, and taken out again: the same contents, and ids of its own', async ({ api }) => {
  const { workspace } = await newFullWorkspace(api);
  const text = await exportOf(workspace.owner, workspace);
  const lines = linesOf(text);
  expect(lines[0]).toMatchObject({
    type: 'header',
    version: 1,
    workspace: { id: workspace.id, name: 'All of it' },
    counts: { prompts: 1, promptVersions: 3, documents: 2, agents: 2, sessions: 4, messages: 63 },
  });
  // All that there is to take out is there to be compared.
  const types = [
    'prompt',
    'promptVersion',
    'document',
    'agent',
    'session',
    'message',
    'memory',
    'memoryEvent',
    'assertion',
    'memorySources',
  ];
  expect(lines.map(({ type }) => type)).toEqual(expect.arrayContaining(types));
  const { counts } = lines.at(-1);
  expect(counts).toEqual(lines[0].counts);

  const target = await api.newWorkspace();
  const imported = await importInto(target, text);
  expect(imported).toMatchObject({ status: 200, body: { counts, skipped: 0, errors: [] } });
  await api.drainJobs();
  const again = await exportOf(target.owner, target);
  expect(contentsOf(again)).toEqual(contentsOf(text));
  const idsOf = (of: string) => new Set(linesOf(of).flatMap(({ data }) => (data?.id && !data.of ? [data.id] : [])));
  expect(idsOf(again).intersection(idsOf(text)).size).toBe(0);

  const total = Object.values(counts as Record<string, number>).reduce((sum, count) => sum + count, 0);
  const nothing = Object.fromEntries(Object.keys(counts).map((kind) => [kind, 0]));
  expect((await importInto(target, text)).body).toEqual({ counts: nothing, skipped: total, errors: [] });
  expect(await exportOf(target.owner, target, '?vectors=false')).toContain(again.split('\n').slice(1, -2).join('\n'));
});

test('with the same ids into an empty database', async ({ api }) => {
  const { workspace } = await newFullWorkspace(api);
  const text = await exportOf(workspace.owner, workspace);
  const { api: other, close } = await openApi();
  try {
    other.clock.advance(api.clock.nowMs() - other.clock.nowMs());
    const target = await other.newWorkspace();
    expect((await importInto(target, text, '?mode=keep-ids')).body).toMatchObject({ errors: [], skipped: 0 });
    await other.drainJobs();
    const withoutTimes = (of: string) =>
      linesOf(of)
        .slice(1, -1)
        .map(({ type, data }) => ({ type, data: type === 'document' || type === 'memory' ? { ...data, updatedAt: '' } : data }));
    expect(withoutTimes(await exportOf(target.owner, target))).toEqual(withoutTimes(text));
  } finally {
    await close();
  }
});
