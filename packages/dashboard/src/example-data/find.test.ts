import type { WorkspaceResources } from '@commonplace/client';
import { expect, test } from 'vitest';
import { exampleAgents } from './content/agents.ts';
import { exampleDocuments } from './content/documents.ts';
import { lookForExample } from './find.ts';
import { EXAMPLE_ID_PREFIX, EXAMPLE_NOTE, exampleLabels, markedBy } from './marks.ts';

const whole = {
  agents: exampleAgents.map(({ handle }) => ({ id: handle, handle, description: EXAMPLE_NOTE, promptId: null, kbLabels: {} })),
  sessions: exampleAgents.flatMap(({ handle, sessions }) =>
    sessions.map(({ id }) => ({ id, agentId: handle, externalId: EXAMPLE_ID_PREFIX + id, labels: exampleLabels, meta: null })),
  ),
  prompts: [{ promptId: 'p', description: EXAMPLE_NOTE }],
  documents: exampleDocuments.map(({ id }) => ({ id, externalId: EXAMPLE_ID_PREFIX + id, labels: ['example=true'] })),
};

/** A list that can be awaited for its page and walked through, as the client's. */
function listOf<Item>(data: readonly Item[]) {
  return { data, [Symbol.iterator]: () => data[Symbol.iterator]() };
}

function workspaceOf({ agents, sessions, prompts, documents }: typeof whole): WorkspaceResources {
  return {
    agents: { list: (by: { handle: string }) => listOf(agents.filter(({ handle }) => handle === by.handle)) },
    sessions: { list: (of: string) => listOf(sessions.filter(({ agentId }) => agentId === of)) },
    prompts: {
      list: () => listOf(prompts),
      versions: { list: () => listOf([{ meta: JSON.stringify(markedBy('prompt-1')) }]) },
    },
    documents: { list: (by: { externalId: string }) => listOf(documents.filter(({ externalId }) => externalId === by.externalId)) },
  } as unknown as WorkspaceResources;
}

test('the example is whole when each of its pieces is there', async () => {
  expect(await lookForExample(workspaceOf(whole))).toEqual({ some: true, whole: true });
});

test.each(['agents', 'sessions', 'prompts', 'documents'] as const)(
  'it is not whole, and can be completed, where one of its %s is missing',
  async (kind) => {
    expect(await lookForExample(workspaceOf({ ...whole, [kind]: whole[kind].slice(0, -1) }))).toEqual({ some: true, whole: false });
  },
);

test('a workspace without any of it has none', async () => {
  const none = { agents: [], sessions: [], prompts: [], documents: [] };
  expect(await lookForExample(workspaceOf(none))).toEqual({ some: false, whole: false });
});
