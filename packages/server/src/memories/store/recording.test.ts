/** Whatever is done to memories, and by whom: who follows the events knows all of them as they are. */
import { expect } from 'vitest';
import { type Answer, made, type TestApi, type TestSession, test } from '../../../test/api.ts';
import { eventsDuring, eventsOf } from '../../../test/recorded-events.ts';
import { sql } from '../../db/sql.ts';
import { findMemoriesById } from './memories.ts';

const OWNERS = [
  ['a session', {}],
  ['a person', { memorySubject: 'user' }],
] as const;

const SENTENCES = [
  'I live in Berlin.',
  'I live in Lisbon.',
  'I moved to Porto.',
  'I prefer aisle seats.',
  'I prefer window seats.',
  'I am allergic to peanuts and I like tea.',
  'I do not like tea any more.',
  'Please forget that.',
  'Forget where I live.',
  'I work as a nurse.',
  'I have a dentist appointment tomorrow.',
];

async function newAgent(api: TestApi, configs: Record<string, unknown> = {}) {
  const agent = await api.newAgent(undefined, { configs: { memoryPipeline: true, ...configs } });
  return { ...agent, open: () => api.newSession(agent, `id=talk-${++sessions}&user=42`) };
}
let sessions = 0;

async function say(api: TestApi, { runtime, url }: TestSession, content: string): Promise<string> {
  const { id } = made(await runtime.post(`${url}/messages`, { role: 'user', content }));
  await settle(api);
  return id;
}

async function settle(api: TestApi): Promise<void> {
  await api.extractMemories();
  await api.drainJobs();
}

async function memoriesOf({ runtime, url }: TestSession, query = ''): Promise<Answer['body'][]> {
  return (await runtime.get(`${url}/memories?limit=100${query}`)).body.memories;
}

/** What is kept by one who reads nothing but the events. */
class Mirror {
  readonly #agent: Awaited<ReturnType<typeof newAgent>>;
  readonly memories = new Map<string, Answer['body']>();
  readonly types = new Set<string>();
  #after = '';
  constructor(agent: Awaited<ReturnType<typeof newAgent>>) {
    this.#agent = agent;
  }

  async follow(): Promise<void> {
    for (const event of await eventsOf(this.#agent.workspace, this.#after)) {
      this.#after = `after=${event.id}`;
      const { type, sessionId, agentId, data } = event;
      expect(agentId ?? this.#agent.id).toBe(this.#agent.id);
      if (type === 'session.deleted')
        for (const [id, memory] of this.memories) if (memory.sessionId === sessionId) this.memories.delete(id);
      if (!type.startsWith('memory.')) continue;
      this.types.add(type);
      if (type === 'memory.created') expect(this.memories.has(data.memory.id), 'it was not there before').toBe(false);
      else expect(this.memories.has(data.memory.id), `${type} of what is known`).toBe(true);
      if (type === 'memory.deleted') this.memories.delete(data.memory.id);
      // One that went since is told of by its id: that it went comes later.
      else this.memories.set(data.memory.id, { sessionId, ...data.memory });
      if (type === 'memory.superseded') expect(data.supersededBy).toEqual(expect.any(String));
    }
  }
}

async function allMemories(api: TestApi, workspaceId: string): Promise<Answer['body'][]> {
  const rows = await api.db.query(sql<{ id: string; sessionId: string }>`
    select m.id, m.session_id as "sessionId" from memories m join sessions s on s.workspace_id = m.workspace_id and s.id = m.session_id
    where m.workspace_id = ${workspaceId}`);
  return rows.length === 0 ? [] : findMemoriesById(api.db, workspaceId, rows, 1_000_000);
}

const byId = (some: Iterable<Answer['body']>) => [...some].sort((a, b) => (a.id < b.id ? -1 : 1));

/** The same numbers each time. */
function newDice(seed: number): (sides: number) => number {
  let state = seed * 7_919;
  return (sides) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * sides);
  };
}

const walks = OWNERS.flatMap(([owner, configs]) => [1, 2, 3].map((seed) => [`${owner}, ${seed}`, configs, seed] as const));

test.for(walks)('who reads the events alone has all memories as they are: of %s', async ([, configs, seed], { api }) => {
  const agent = await newAgent(api, configs);
  const mirror = new Mirror(agent);
  const dice = newDice(seed);
  const open = [await agent.open(), await agent.open()];
  const said: { session: TestSession; id: string }[] = [];
  const pick = <Item>(items: readonly Item[]) => items[dice(items.length)] as Item;
  const steps: (() => Promise<unknown>)[] = [
    async () => {
      const session = pick(open);
      said.push({ session, id: await say(api, session, pick(SENTENCES)) });
    },
    async () => {
      const { session, id } = pick(said);
      await session.runtime.put(`${session.url}/messages/${id}`, { content: pick(SENTENCES) });
    },
    async () => {
      const { session, id } = pick(said);
      await session.runtime.delete(`${session.url}/messages/${id}`);
    },
    async () => {
      const session = pick(open);
      const memory = pick(await memoriesOf(session));
      if (memory) await session.runtime.delete(`${session.url}/memories/${memory.id}`);
    },
    async () => {
      const session = pick(open);
      const memory = pick(await memoriesOf(session));
      if (memory) await session.runtime.put(`${session.url}/memories/${memory.id}`, { content: `User said ${dice(1_000)}` });
    },
    async () => {
      const session = pick(open);
      await session.runtime.post(`${session.url}/memories/batch`, {
        memories: [1, 2].map((n) => ({ kind: 'fact', content: `Fact ${n}` })),
      });
    },
    async () => {
      const session = pick(open);
      await session.runtime.post(`${session.url}/memories/regenerate`);
    },
    async () => {
      await agent.runtime.delete((open.shift() as TestSession).url);
      open.push(await agent.open());
    },
  ];
  for (let step = 0; step < 60; step++) {
    // Something has to be said before it can be edited; most of the time somebody says something.
    await (step < 6 || dice(2) === 0 ? (steps[0] as () => Promise<unknown>) : pick(steps))();
    await settle(api);
    await mirror.follow();
    expect(byId(mirror.memories.values())).toEqual(byId(await allMemories(api, agent.workspace.id)));
  }
  expect([...mirror.types].sort()).toEqual(['memory.created', 'memory.deleted', 'memory.superseded', 'memory.updated']);
});

test.for(OWNERS)(
  'a message that is edited takes its memories along, and what they replaced holds again: of %s',
  async ([, configs], { api }) => {
    const agent = await newAgent(api, configs);
    const session = await agent.open();
    await say(api, session, 'I live in Berlin.');
    const moved = await say(api, session, 'I moved to Lisbon.');
    const [lisbon] = await memoriesOf(session);
    const events = await eventsDuring(agent.workspace, async () => {
      expect((await session.runtime.put(`${session.url}/messages/${moved}`, { content: 'Nothing else.' })).status).toBe(200);
    });
    const [berlin] = await memoriesOf(session);
    const [edited, ...followed] = events.map(({ type, data }) => [type, data.memory ?? data.message]);
    expect(edited).toMatchObject(['message.updated', { id: moved }]);
    expect(followed.sort()).toEqual([
      ['memory.deleted', { id: lisbon.id }],
      ['memory.updated', berlin],
    ]);
  },
);

test('what a person takes back in one session is told of the session that it was said in', async ({ api }) => {
  const agent = await newAgent(api, { memorySubject: 'user' });
  const [first, second] = [await agent.open(), await agent.open()];
  await say(api, first, 'I live in Berlin.');
  const events = await eventsDuring(agent.workspace, () => say(api, second, 'I moved to Lisbon.'));
  expect(events.map(({ type, sessionId }) => [type, sessionId])).toEqual([
    ['message.created', second.id],
    ['memory.created', second.id],
    ['memory.superseded', first.id],
  ]);
  expect(events[2].data.supersededBy).toBe(events[1].data.memory.id);
  const gone = await eventsDuring(agent.workspace, async () => {
    expect((await second.runtime.delete(second.url)).status).toBe(204);
    await settle(api);
  });
  expect(gone.map(({ type, sessionId }) => [type, sessionId])).toEqual([
    ['session.deleted', second.id],
    ['memory.updated', first.id],
  ]);
});

test.for(OWNERS)('made anew, memories that come out the same are told of by nobody: of %s', async ([, configs], { api }) => {
  const agent = await newAgent(api, configs);
  const session = await agent.open();
  await say(api, session, 'I live in Berlin.');
  await say(api, session, 'I moved to Lisbon.');
  const regenerate = () =>
    eventsDuring(agent.workspace, async () => {
      expect((await session.runtime.post(`${session.url}/memories/regenerate`)).status).toBe(202);
      await settle(api);
    });
  expect(await regenerate()).toEqual([]);
});
