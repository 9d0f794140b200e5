import type { PromptVersion, WorkspaceResources } from '@commonplace/client';
import { isStatus } from '../api/refusals.ts';
import { examplePrompt } from './content/agents.ts';
import { removeDoubles } from './doubles.ts';
import { findExamplePrompts } from './find.ts';
import { markedBy, markOf, metaOf } from './marks.ts';

const [first, ...later] = examplePrompt.versions;

/** The prompt with its versions, in their order. Returns its id. */
export async function fillPrompt(workspace: WorkspaceResources): Promise<string> {
  const promptId = await openPrompt(workspace);
  const there = new Set((await versionsOf(workspace, promptId)).map(({ meta }) => markOf(meta)));
  for (const { id, ...version } of later) {
    if (there.has(id)) continue;
    const body = { type: 'text', ...version, meta: markedBy(id) } as const;
    await workspace.prompts.versions.create(promptId, body, { idempotencyKey: `example-${id}-${promptId}` });
  }
  const untouched = (await versionsOf(workspace, promptId)).filter(isUntouched);
  await removeDoubles(untouched, (versionId) => workspace.prompts.versions.delete(promptId, versionId));
  return promptId;
}

/** A prompt's name is its own in the workspace: of two who make it at once, one is refused and finds the other's. */
async function openPrompt(workspace: WorkspaceResources): Promise<string> {
  const [existing] = await findExamplePrompts(workspace);
  if (existing) return existing;
  const { id, ...version } = first;
  const { name, description } = examplePrompt;
  try {
    return (await workspace.prompts.create({ name, description, type: 'text', ...version, meta: markedBy(id) })).promptId;
  } catch (error) {
    if (!isStatus(error, 409)) throw error;
    const [made] = await findExamplePrompts(workspace);
    if (!made) throw new Error(`The prompt “${name}” exists and is not example data.`);
    return made;
  }
}

/** A version that a person wrote may have come by a mark of the example; its text tells that it is theirs. */
function isUntouched({ meta, content }: { readonly meta: unknown; readonly content: string }): boolean {
  return examplePrompt.versions.some((version) => version.id === markOf(meta) && version.content === content);
}

async function versionsOf(workspace: WorkspaceResources, promptId: string) {
  const { data } = await workspace.prompts.versions.list(promptId, { limit: 100 });
  return data.map((version: PromptVersion) => ({ ...version, meta: metaOf(version) }));
}
