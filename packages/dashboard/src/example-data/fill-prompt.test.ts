import type { PromptVersion, WorkspaceResources } from '@commonplace/client';
import { expect, test } from 'vitest';
import { examplePrompt } from './content/agents.ts';
import { fillPrompt } from './fill-prompt.ts';
import { EXAMPLE_NOTE, markedBy } from './marks.ts';

const inExample = examplePrompt.versions.map(({ id, content, production }, at) => version(String(at + 1), id, content, production));
const [, second, third] = examplePrompt.versions;

function version(id: string, mark: string, content: string, production = false) {
  return { id, content, production, meta: JSON.stringify(markedBy(mark)) } as PromptVersion;
}

/** Fills over these versions, and says which of them were deleted. */
async function fillOver(versions: readonly PromptVersion[]): Promise<string[]> {
  const deleted: string[] = [];
  const workspace = {
    agents: { list: async () => ({ data: [] }) },
    prompts: {
      list: async function* () {
        yield { promptId: 'p', description: EXAMPLE_NOTE };
      },
      versions: {
        list: async () => ({ data: versions }),
        delete: async (_: string, id: string) => void deleted.push(id),
      },
    },
  };
  await fillPrompt(workspace as unknown as WorkspaceResources);
  return deleted;
}

test('a version that carries a mark and another text was written by a person, and stays', async () => {
  expect(await fillOver([...inExample, version('4', third.id, 'Ours', true)])).toEqual([]);
});

test('a version that was written twice is there once afterwards', async () => {
  expect(await fillOver([...inExample, version('4', third.id, third.content)])).toEqual(['4']);
});

test('of two that say the same, the one in production stays', async () => {
  const [v1, v2, v3] = inExample as [PromptVersion, PromptVersion, PromptVersion];
  expect(await fillOver([v1, { ...v2, production: false }, v3, version('4', second.id, second.content, true)])).toEqual(['2']);
});
