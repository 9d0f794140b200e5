/** Takes the example out of a workspace: what it made and nothing else. */
import type { Agent, WorkspaceResources } from '@commonplace/client';
import { client } from '../api/client.ts';
import { isStatus } from '../api/refusals.ts';
import { findExampleAgents, findExampleDocuments, findExamplePrompts, findExampleSessions } from './find.ts';

/** The names of agents that stay, since they have sessions that the example did not make. */
export async function removeExample(workspaceId: string): Promise<{ readonly kept: readonly string[] }> {
  const workspace = client.workspace(workspaceId);
  const agents = await findExampleAgents(workspace);
  const prompts = await findExamplePrompts(workspace);
  const documents = await findExampleDocuments(workspace);
  const kept: string[] = [];
  // Agents last: they lead to the prompt and to the sessions, so that a run that broke off finds the rest.
  for (const id of documents) await gone(workspace.documents.delete(id));
  for (const id of prompts) await gone(workspace.prompts.delete(id));
  for (const agent of agents) if (!(await removeAgent(workspace, agent))) kept.push(agent.name);
  return { kept };
}

/** False where the agent has other sessions, which would go with it. */
async function removeAgent(workspace: WorkspaceResources, agent: Agent): Promise<boolean> {
  for (const { id } of await findExampleSessions(workspace, agent.id)) await gone(workspace.sessions.delete(agent.id, id));
  const { meta } = await workspace.sessions.list(agent.id, { limit: 1 });
  if (meta.total > 0) return false;
  await gone(workspace.agents.delete(agent.id));
  return true;
}

async function gone(deletion: Promise<void>): Promise<void> {
  try {
    await deletion;
  } catch (error) {
    if (!isStatus(error, 404)) throw error;
  }
}
