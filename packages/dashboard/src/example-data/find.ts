/** What of the example is in a workspace, under whatever name it goes by now. */
import type { Agent } from '@commonplace/client';
import { isStatus } from '../api/refusals.ts';
import { exampleDocuments } from './content/documents.ts';
import type { ExampleWorkspace } from './fill.ts';
import { EXAMPLE_ID_PREFIX, EXAMPLE_NOTE, exampleAgentHandles, isExampleAgent, isExampleDocument, isExampleVersion } from './marks.ts';

export async function findExampleAgents(workspace: ExampleWorkspace): Promise<Agent[]> {
  const lists = await Promise.all(exampleAgentHandles.map((handle) => workspace.agents.list({ handle })));
  return lists.flatMap(({ data }) => data).filter(isExampleAgent);
}

/** By what their descriptions say and by the agents that use them; what counts is the mark in a version. */
export async function findExamplePrompts(workspace: ExampleWorkspace): Promise<string[]> {
  const candidates = new Set<string>();
  for await (const prompt of workspace.prompts.list({ limit: 100 }))
    if (prompt.description.startsWith(EXAMPLE_NOTE)) candidates.add(prompt.promptId);
  for (const { promptId } of await findExampleAgents(workspace)) if (promptId) candidates.add(promptId);
  const checked = await Promise.all(
    [...candidates].map(async (promptId) => ((await isOfExample(workspace, promptId)) ? promptId : undefined)),
  );
  return checked.filter((promptId) => promptId !== undefined);
}

async function isOfExample(workspace: ExampleWorkspace, promptId: string): Promise<boolean> {
  try {
    const { data } = await workspace.prompts.versions.list(promptId, { limit: 100 });
    return data.some(isExampleVersion);
  } catch (error) {
    // An agent may name a prompt that is gone.
    if (isStatus(error, 404)) return false;
    throw error;
  }
}

/** By the ids that the example gives, and by their label. */
export async function findExampleDocuments(workspace: ExampleWorkspace): Promise<string[]> {
  const lists = await Promise.all(exampleDocuments.map(({ id }) => workspace.documents.list({ externalId: EXAMPLE_ID_PREFIX + id })));
  return lists.flatMap(({ data }) => data.filter(isExampleDocument)).map(({ id }) => id);
}
