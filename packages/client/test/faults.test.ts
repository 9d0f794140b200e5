/** Writes through a network that fails half of the time: each happens exactly once. `FAULT_WRITES=10000` sends more of them. */
import { expect, test } from 'vitest';
import { Commonplace } from '../src/commonplace.ts';
import { faults, startFaultProxy } from './fault-proxy.ts';
import { describeOnEachEngine, type TestService } from './service.ts';

const WRITES = Number(process.env.FAULT_WRITES ?? 300);
const AT_ONCE = 16;
/** The share of requests that something befalls. */
const FAULTY = 0.5;
/** Of one try: short, since some requests get no answer at all. A slow machine makes for more tries, not for a failure. */
const TIMEOUT_MS = 2_000;

/** The same faults in each run (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

async function withFaults(service: TestService, use: (client: Commonplace) => Promise<void>): Promise<Record<string, number>> {
  const random = randomFrom(42);
  // Silence costs a whole timeout, and so comes less often than the others.
  const weighed = [...faults, ...faults, ...faults].filter((fault, index) => fault !== 'silent after it was done' || index < faults.length);
  const proxy = await startFaultProxy(service.url, () => (random() < FAULTY ? weighed[Math.floor(random() * weighed.length)] : undefined));
  try {
    const { accessKey, workspaceId } = service;
    await use(new Commonplace({ baseUrl: proxy.url, accessKey, workspaceId, timeoutMs: TIMEOUT_MS, maxRetries: 40 }));
    return proxy.counts;
  } finally {
    await proxy.close();
  }
}

/** So many at a time. */
async function forEachOf(count: number, write: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await write(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

describeOnEachEngine((service) => {
  test(`of ${WRITES} messages, changes and deletions each happens once`, { timeout: Math.max(600_000, WRITES * 500) }, async () => {
    const straight = new Commonplace({ baseUrl: service().url, accessKey: service().accessKey, workspaceId: service().workspaceId });
    const agent = await straight.agents.create({ name: 'Unlucky' });
    const session = await straight.agent(agent.id).sessions.open({ id: 'chat' });
    const created = Math.ceil(WRITES / 2);
    const ids: string[] = [];

    const counts = await withFaults(service(), async (client) => {
      const { messages } = client.agent(agent.id).session(session.id);
      await forEachOf(created, async (index) => {
        ids[index] = (await messages.create({ role: 'user', content: `Message ${index}` })).id;
      });
      await forEachOf(WRITES - created, async (index) => {
        if (index % 2 === 0) await messages.delete(ids[index] as string);
        else await messages.update(ids[index] as string, { content: `Changed ${index}` });
      });
    });

    const found = new Map<string, string>();
    for await (const { id, content } of session.messages.list({ limit: 100 })) {
      expect(found.has(id)).toBe(false);
      found.set(id, content);
    }
    const expected = ids.flatMap((id, index): [string, string][] => {
      if (index >= WRITES - created) return [[id, `Message ${index}`]];
      return index % 2 === 0 ? [] : [[id, `Changed ${index}`]];
    });
    expect(new Set(ids).size).toBe(created);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
    for (const fault of faults) expect(counts[fault], fault).toBeGreaterThan(0);
    if (process.env.FAULT_WRITES) console.log(`${WRITES} writes, each once; what befell the requests: ${JSON.stringify(counts)}`);
  });

  test('uploads, batches and sessions happen once, and reads and searches come through', async () => {
    const { admin, workspaceId } = service();
    await withFaults(service(), async (client) => {
      const agent = client.agent((await client.agents.create({ name: 'Unlucky too' })).id);
      const sessions = await Promise.all(Array.from({ length: 10 }, () => agent.sessions.open({ labels: { user: '42' } })));
      expect(new Set(sessions.map(({ id }) => id)).size).toBe(1);
      const [session] = sessions;
      if (!session) throw new Error('There is no session');
      for (let batch = 0; batch < 5; batch++) {
        await session.messages.createBatch({
          messages: Array.from({ length: 20 }, (_, index) => ({ role: 'user', content: `${batch}-${index}` })),
        });
      }
      const all = [];
      for await (const message of session.messages.list({ limit: 10 })) all.push(message.id);
      expect(all).toHaveLength(100);
      await session.messages.deleteBatch({ ids: all.slice(0, 50) });
      expect((await session.messages.list()).meta.total).toBe(50);
      for (let index = 0; index < 10; index++) await client.documents.upload(new Blob([`Text ${index}`]), { filename: `${index}.txt` });
      expect((await client.documents.list()).meta.total).toBe(10);
      expect((await session.messages.search('3-7', { limit: 3 })).length).toBeGreaterThan(0);
      await session.delete();
    });
    expect((await admin.workspaces.stats(workspaceId)).documents).toBe(10);
  });

  test('a key whose answer was lost was made once, and the conflict names it', async () => {
    const { url, admin, workspaceId } = service();
    const script = ['reset after it was done'] as const;
    let sent = 0;
    const proxy = await startFaultProxy(url, () => script[sent++]);
    try {
      const before = (await admin.workspace(workspaceId).accessKeys.list()).meta.total;
      const key = (await admin.apiKeys.create({ name: 'Through the proxy' })).key;
      const client = new Commonplace({ baseUrl: proxy.url, apiKey: key, workspaceId });
      const error = await client.accessKeys.create({ name: 'Lost', permissions: ['CAN_GET_AGENT'] }).catch((caught) => caught);
      expect(error).toBeInstanceOf(Commonplace.ConflictError);
      const keys = await admin.workspace(workspaceId).accessKeys.list();
      expect(keys.meta.total).toBe(before + 1);
      expect(error.message).toContain(keys.data[0]?.id);
    } finally {
      await proxy.close();
    }
  });

  test('a workspace whose deletion was not answered is deleted', async () => {
    const { url, admin } = service();
    const script = ['reset after it was done'] as const;
    let sent = 0;
    const proxy = await startFaultProxy(url, () => script[sent++]);
    try {
      const workspace = await admin.workspaces.create({ name: 'To be deleted' });
      const { key } = await admin.apiKeys.create({ name: 'Through the proxy' });
      await new Commonplace({ baseUrl: proxy.url, apiKey: key }).workspaces.delete(workspace.id);
      expect(sent).toBe(2);
      await expect(admin.workspaces.get(workspace.id)).rejects.toBeInstanceOf(Commonplace.NotFoundError);
    } finally {
      await proxy.close();
    }
  });
});
