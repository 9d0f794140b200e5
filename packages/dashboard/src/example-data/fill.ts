/**
 * Fills a workspace with the example, through the API. Each piece is looked for first and found by a name of its own, so that a
 * second press, a second tab and a run that broke off come to the same: one of each.
 */
import type { Agent, Session, WorkspaceResources } from '@commonplace/client';
import { client } from '../api/client.ts';
import { type ExampleAgent, exampleAgents } from './content/agents.ts';
import { exampleDocuments } from './content/documents.ts';
import { fillDocument } from './fill-document.ts';
import { fillPrompt } from './fill-prompt.ts';
import { fillSession } from './fill-session.ts';
import { exampleLabels, isExampleAgent } from './marks.ts';

export interface FillProgress {
  readonly done: number;
  readonly total: number;
  /** What is being made: "Session: Butter for Saturday". */
  readonly label: string;
}

/** What the workspace holds now. */
export interface Filled {
  readonly agents: number;
  readonly sessions: readonly Session[];
  readonly documents: number;
}

interface Task {
  readonly label: string;
  run(): Promise<unknown>;
}

export async function fillWithExample(workspaceId: string, onProgress: (progress: FillProgress) => void): Promise<Filled> {
  return inTurn(workspaceId, () => runAll(client.workspace(workspaceId), onProgress));
}

/** Tabs of one browser wait for each other, where the browser can; otherwise the names of the pieces keep them apart. */
async function inTurn(workspaceId: string, run: () => Promise<Filled>): Promise<Filled> {
  if (!('locks' in navigator)) return run();
  return navigator.locks.request(`commonplace:example:${workspaceId}`, run);
}

async function runAll(workspace: WorkspaceResources, onProgress: (progress: FillProgress) => void): Promise<Filled> {
  const found: { promptId?: string; agents: Map<string, Agent>; sessions: Session[] } = { agents: new Map(), sessions: [] };
  const tasks: Task[] = [
    {
      label: 'Prompt',
      run: async () => {
        found.promptId = await fillPrompt(workspace);
      },
    },
    ...exampleDocuments.map((example) => ({ label: `Document: ${example.title}`, run: () => fillDocument(workspace, example) })),
    ...exampleAgents.flatMap((example) => [
      {
        label: `Agent: ${example.name}`,
        run: async () => {
          const promptId = example.usesPrompt ? found.promptId : undefined;
          found.agents.set(example.handle, await openAgent(workspace, example, promptId));
        },
      },
      ...example.sessions.map((session) => ({
        label: `Session: ${session.title}`,
        run: async () => {
          found.sessions.push(await fillSession(workspace, (found.agents.get(example.handle) as Agent).id, session));
        },
      })),
    ]),
  ];
  for (const [done, { label, run }] of tasks.entries()) {
    onProgress({ done, total: tasks.length, label });
    await run();
  }
  onProgress({ done: tasks.length, total: tasks.length, label: 'Done' });
  return { agents: found.agents.size, sessions: found.sessions, documents: exampleDocuments.length };
}

/** The one with the example's handle. Whoever made it at the same moment keeps it: a second one has another handle. */
async function openAgent(workspace: WorkspaceResources, example: ExampleAgent, promptId: string | undefined): Promise<Agent> {
  const { handle, name, description, memorySubject } = example;
  const existing = await findAgent(workspace, handle);
  if (existing) return existing;
  const made = await workspace.agents.create({
    name,
    description,
    configs: { memoryPipeline: true, memorySubject },
    kbLabels: exampleLabels,
    ...(promptId && { promptId }),
  });
  if (made.handle === handle) return made;
  await workspace.agents.delete(made.id);
  return (await findAgent(workspace, handle)) ?? made;
}

async function findAgent(workspace: WorkspaceResources, handle: string): Promise<Agent | undefined> {
  const agent = (await workspace.agents.list({ handle })).data[0];
  if (agent && !isExampleAgent(agent)) throw new Error(`The agent “${agent.name}” has the handle ${handle} and is not example data.`);
  return agent;
}
