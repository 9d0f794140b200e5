/** Thirty days of a made-up team, lived through in minutes: the service's clock is set back, and moved on day by day. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Agent, Commonplace, type Session } from '../../packages/client/src/index.ts';
import { exampleAgents, examplePrompt } from '../../packages/dashboard/src/example-data/content/agents.ts';
import { exampleDocuments } from '../../packages/dashboard/src/example-data/content/documents.ts';
import type { ExampleSession } from '../../packages/dashboard/src/example-data/content/sessions.ts';
import type { App } from '../../packages/server/src/app.ts';
import type { Clock } from '../../packages/server/src/clock.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
export const DAYS = 30;
const TURNS = 5;
const REST_MS = 20_000;
const PASSWORD = 'correct horse battery staple';
const EMAIL = 'ines@millhouse.example';

export class StoryClock implements Clock {
  #behindMs = DAYS * DAY_MS;
  nowMs(): number {
    return Date.now() - this.#behindMs;
  }
  monotonicMs(): number {
    // From the beginning of the story: before that there is no time.
    return performance.now() + DAYS * DAY_MS - this.#behindMs;
  }
  /** Never beyond now. */
  moveTo(agoMs: number): void {
    this.#behindMs = Math.min(this.#behindMs, Math.max(0, agoMs));
  }
}

export interface Story {
  readonly email: string;
  readonly password: string;
  readonly workspaceId: string;
  readonly agent: Agent;
  /** The one that a picture shows. */
  readonly session: Session;
  readonly promptId: string;
}

/** Questions that customers ask while days go by. */
const questions = [
  'When do the vans leave?',
  'closed on Mondays',
  'gluten in buckwheat flour',
  'broken delivery',
  'rattan baskets',
  'what does delivery cost',
];

export async function tellStory(app: App, clock: StoryClock, url: string, apiKey: string): Promise<Story> {
  const client = new Commonplace({ baseUrl: url, apiKey });
  await client.me.update({ name: 'Ines Duarte' });
  const { id: workspaceId } = await client.workspaces.create({ name: 'Millhouse Supply' });
  const workspace = client.workspace(workspaceId);
  const promptId = await writePrompt(client, workspaceId);
  for (const { id, filename, title, topic, text } of exampleDocuments)
    await workspace.documents.upload(new Blob([text.replace('Example data. Millhouse Supply is made up.\n\n', '')]), {
      ...{ externalId: id, filename, title, labels: [`topic=${topic}`, 'lang=en'] },
    });
  const key = await workspace.accessKeys.create({ name: 'storefront-production', permissions: RUNTIME });
  const staging = await workspace.accessKeys.create({ name: 'storefront-staging', permissions: RUNTIME, expiresAt: inThreeDays() });
  await workspace.accessKeys.create({
    name: 'knowledge-sync',
    permissions: ['CAN_CREATE_WORKSPACE_DOCUMENT', 'CAN_LIST_WORKSPACE_DOCUMENTS'],
  });
  const agents = new Map<string, Agent>();
  for (const example of exampleAgents)
    agents.set(
      example.handle,
      await workspace.agents.create({
        name: example.name.replace(' (example)', ''),
        description: example.description.replace(/^Example data: /, ''),
        configs: { memoryPipeline: true, memorySubject: example.memorySubject },
        ...(example.usesPrompt && { promptId }),
      }),
    );
  const runtimes = [key.key, key.key, staging.key].map((accessKey) => new Commonplace({ baseUrl: url, accessKey, workspaceId }));
  const beginnings = exampleAgents
    .flatMap((example) =>
      example.sessions.map((session) => ({ agent: agents.get(example.handle) as Agent, session, agoMs: session.hoursAgo * HOUR_MS })),
    )
    .sort((one, other) => other.agoMs - one.agoMs);
  let shown: Session | undefined;
  for (let day = DAYS; day >= 0; day--) {
    clock.moveTo((day + 1) * DAY_MS - HOUR_MS);
    await liveDay(runtimes, [...agents.values()], day);
    for (const { agent, session, agoMs } of beginnings) {
      if (agoMs < day * DAY_MS || agoMs >= (day + 1) * DAY_MS) continue;
      const held = await holdConversation(runtimes[0] as Commonplace, agent, session, clock, agoMs);
      if (session.id === 'standing-order') shown = held;
    }
    // Sessions rest for a moment before they are looked at, and again between turns.
    for (let turn = 1; turn <= TURNS; turn++) {
      clock.moveTo(day * DAY_MS - turn * REST_MS);
      await app.context.deferredJobs.flush();
      await app.jobRunner.drain();
    }
  }
  clock.moveTo(0);
  // Only now: what runs by itself would go by the real time.
  app.start();
  await waitUntilSettled(client, workspaceId);
  await workspace.documents.upload(new Blob(['\n']), { filename: 'price-list-october.txt', title: 'Price list October' });
  const agent = agents.get(exampleAgents[0]?.handle as string) as Agent;
  return { email: EMAIL, password: PASSWORD, workspaceId, agent, session: shown as Session, promptId };
}

const RUNTIME = [
  ...(['CAN_GET_AGENT', 'CAN_LIST_AGENTS', 'CAN_LIST_AGENT_SESSIONS', 'CAN_GET_AGENT_SESSION', 'CAN_CREATE_AGENT_SESSION'] as const),
  ...(['CAN_UPDATE_AGENT_SESSION', 'CAN_LIST_SESSION_MESSAGES', 'CAN_CREATE_SESSION_MESSAGE', 'CAN_QUERY_SESSION_MESSAGES'] as const),
  ...(['CAN_LIST_SESSION_MEMORIES', 'CAN_CREATE_SESSION_MEMORY', 'CAN_QUERY_SESSION_MEMORIES'] as const),
  ...(['CAN_GET_PROMPT', 'CAN_QUERY_WORKSPACE_DOCUMENTS'] as const),
];

const inThreeDays = () => new Date(Date.now() + 3 * DAY_MS).toISOString();

async function writePrompt(client: Commonplace, workspaceId: string): Promise<string> {
  const { prompts } = client.workspace(workspaceId);
  const [first, ...later] = examplePrompt.versions;
  if (!first) throw new Error('The prompt of the example has no version');
  const { content, commitMessage } = first;
  const { promptId } = await prompts.create({
    name: 'Order desk reply',
    description: 'How the order desk answers.',
    type: 'text',
    content,
    commitMessage,
  });
  for (const { id: _, ...version } of later) await prompts.versions.create(promptId, { type: 'text', ...version });
  return promptId;
}

async function holdConversation(
  runtime: Commonplace,
  agent: Agent,
  example: ExampleSession,
  clock: StoryClock,
  agoMs: number,
): Promise<Session> {
  const { id, title, labels, messages } = example;
  const session = await runtime.sessions.create(agent.id, { id, title, labels });
  let leftMs = agoMs;
  for (const [role, minutesLater, content] of messages) {
    leftMs -= minutesLater * MINUTE_MS;
    clock.moveTo(leftMs);
    await runtime.messages.create(agent.id, session.id, { role, content });
  }
  return session;
}

/** Fewer at the end of a week; the same in every run. */
const subjects = exampleAgents.map(({ memorySubject }) => memorySubject);

async function liveDay(runtimes: readonly Commonplace[], agents: readonly Agent[], day: number): Promise<void> {
  const isWeekend = day % 7 < 2;
  const conversations = isWeekend ? 2 : 4 + ((day * 7) % 4);
  for (let at = 0; at < conversations; at++) {
    const runtime = runtimes[(day + at) % runtimes.length] as Commonplace;
    const agent = agents[at % agents.length] as Agent;
    const { sessions } = exampleAgents[at % exampleAgents.length] as (typeof exampleAgents)[number];
    const example = sessions[(day + at) % sessions.length] as ExampleSession;
    const order = `${4000 + (DAYS - day) * 10 + at}`;
    // Other people than those of the conversations that pictures show: what they say would take the place of it.
    const labels = { [subjects[at % subjects.length] as string]: `visitor-${order}`, order };
    const session = await runtime.sessions.create(agent.id, { id: `order-${order}`, title: example.title, labels });
    for (const [role, , content] of example.messages.slice(0, 4 + ((day + at) % 5)))
      await runtime.messages.create(agent.id, session.id, { role, content });
    const query = questions[(day + at) % questions.length] as string;
    await runtime.documents.search({ query });
    if (at % 2 === 0) await runtime.messages.search(agent.id, session.id, { query });
  }
}

/** What was remembered is added up every half a minute, and vectors are made now that the service runs. */
async function waitUntilSettled(client: Commonplace, workspaceId: string): Promise<void> {
  const { memories } = await client.workspaces.stats(workspaceId);
  for (let tries = 0; tries < 60; tries++) {
    const { points } = await client.workspaces.series(workspaceId, {
      metric: 'memories',
      since: new Date(Date.now() - (DAYS + 2) * DAY_MS).toISOString(),
    });
    const counted = points.reduce((sum, { value }) => sum + (value ?? 0), 0);
    const { counts } = await client.workspace(workspaceId).jobs.listWithCounts({ limit: 1 });
    if (counted >= memories && counts.waiting + counts.running === 0) return;
    await sleep(2_000);
  }
}
