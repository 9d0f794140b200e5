/** What of the example is in a workspace, under whatever name it goes by now. */
import type { Agent, Session, WorkspaceResources } from '@commonplace/client';
import { isStatus } from '../api/refusals.ts';
import { exampleAgents } from './content/agents.ts';
import { exampleDocuments } from './content/documents.ts';
import {
  EXAMPLE_ID_PREFIX,
  EXAMPLE_NOTE,
  exampleAgentHandles,
  exampleLabels,
  isExampleAgent,
  isExampleDocument,
  isExampleSession,
  isExampleVersion,
} from './marks.ts';

export async function findExampleAgents(workspace: WorkspaceResources): Promise<Agent[]> {
  const lists = await Promise.all(exampleAgentHandles.map((handle) => workspace.agents.list({ handle })));
  return lists.flatMap(({ data }) => data).filter(isExampleAgent);
}

/** By what their descriptions say and by the agents that use them; what counts is the mark in a version. */
export async function findExamplePrompts(workspace: WorkspaceResources): Promise<string[]> {
  const candidates = new Set<string>();
  for await (const prompt of workspace.prompts.list({ limit: 100 }))
    if (prompt.description.startsWith(EXAMPLE_NOTE)) candidates.add(prompt.promptId);
  for (const { promptId } of await findExampleAgents(workspace)) if (promptId) candidates.add(promptId);
  const checked = await Promise.all(
    [...candidates].map(async (promptId) => ((await isOfExample(workspace, promptId)) ? promptId : undefined)),
  );
  return checked.filter((promptId) => promptId !== undefined);
}

async function isOfExample(workspace: WorkspaceResources, promptId: string): Promise<boolean> {
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
export async function findExampleDocuments(workspace: WorkspaceResources): Promise<string[]> {
  const lists = await Promise.all(exampleDocuments.map(({ id }) => workspace.documents.list({ externalId: EXAMPLE_ID_PREFIX + id })));
  return lists.flatMap(({ data }) => data.filter(isExampleDocument)).map(({ id }) => id);
}

/** With the example's label; and those whose labels were changed, among the ones that were active last. */
export async function findExampleSessions(workspace: WorkspaceResources, agentId: string): Promise<Session[]> {
  const found = new Map<string, Session>();
  for await (const session of workspace.sessions.list(agentId, { limit: 100, labels: exampleLabels })) found.set(session.id, session);
  for (const session of (await workspace.sessions.list(agentId, { limit: 100 })).data) found.set(session.id, session);
  return [...found.values()].filter(isExampleSession);
}

export interface ExamplePresence {
  /** Whether any of it is there. */
  readonly some: boolean;
  /** Whether nothing is left to add. */
  readonly whole: boolean;
}

export async function lookForExample(workspace: WorkspaceResources): Promise<ExamplePresence> {
  const [agents, prompts, documents] = await Promise.all([
    findExampleAgents(workspace),
    findExamplePrompts(workspace),
    findExampleDocuments(workspace),
  ]);
  const sessions = (await Promise.all(agents.map(({ id }) => findExampleSessions(workspace, id)))).flat();
  const wanted = exampleAgents.flatMap((agent) => agent.sessions).map(({ id }) => EXAMPLE_ID_PREFIX + id);
  const there = new Set(sessions.map(({ externalId }) => externalId));
  return {
    some: agents.length + prompts.length + documents.length > 0,
    whole:
      agents.length === exampleAgents.length &&
      wanted.every((id) => there.has(id)) &&
      prompts.length > 0 &&
      documents.length === exampleDocuments.length,
  };
}
