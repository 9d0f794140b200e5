/** Several who send, receivers that hang, and what changes while something is on its way. */
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { made, type OpenedApi, openApi, test } from '../../test/api.ts';
import { openReceiver, type Receiver } from '../../test/webhook-receiver.ts';
import { newId } from '../db/ids.ts';
import { sql } from '../db/sql.ts';
import { describeEvents } from '../events/resources.ts';
import type { Job } from '../jobs/queue.ts';
import { Outbox } from '../outbox/distribution.ts';
import { WebhookDelivering } from './delivering.ts';
import { loadingEvents } from './event-log.ts';
import { createSender } from './sending.ts';
import { dropOldDeliveries, wakeForgottenWebhooks } from './sweeping.ts';

const shared = {} as { opened: OpenedApi; receiver: Receiver };
beforeAll(async () => {
  shared.opened = await openApi({ COMMONPLACE_WEBHOOKS_ALLOW: '127.0.0.1' });
  shared.receiver = await openReceiver();
});
afterAll(async () => {
  await shared.opened.close();
  await shared.receiver.close();
});

/** A second node, on the same database. */
function anotherNode(): WebhookDelivering {
  const { app, db, clock } = shared.opened.api;
  const { config, log } = app.context;
  const loadEvent = loadingEvents(db, clock, describeEvents);
  // Of its own, as a node has: it hears of nothing that is published by another.
  return new WebhookDelivering({ db, clock, log, sender: createSender(config), outbox: new Outbox(db, [], true), loadEvent });
}

async function newScene(fields: Record<string, unknown> = {}) {
  const { opened, receiver } = shared;
  const { api } = opened;
  const agent = await api.newAgent();
  const { workspace } = agent;
  const path = `/${newId()}`;
  const types = ['message.created'];
  const hook = made(await workspace.owner.post(`${workspace.url}/webhooks`, { url: receiver.url(path), types, ...fields }));
  const hookUrl = `${workspace.url}/webhooks/${hook.id}`;
  return {
    api,
    agent,
    workspace,
    hook,
    hookUrl,
    path,
    received: () => receiver.received(path).map(({ event }) => (event.data.message as { content: string }).content),
    deliveries: async () => (await workspace.owner.get(`${hookUrl}/deliveries`)).body.deliveries,
    /** In a session of their own. */
    say: async (...contents: string[]) => {
      const session = await api.newSession(agent);
      for (const content of contents) made(await session.runtime.post(`${session.url}/messages`, { role: 'user', content }));
      return session;
    },
  };
}

test('two nodes that send at once send each once, and in order', async () => {
  const { api, agent, received, path } = await newScene();
  const counts = Array.from({ length: 12 }, (_, index) => index);
  for (const session of counts) {
    const { runtime, url } = await api.newSession(agent);
    const messages = Array.from({ length: 30 }, (_, index) => ({ role: 'user', content: `${session} ${index}` }));
    made(await runtime.post(`${url}/messages/batch`, { messages }));
  }
  const nodes = [api.app.webhooks, anotherNode(), anotherNode()];
  await Promise.all(nodes.map((node) => node.drain()));
  expect(received()).toHaveLength(360);
  for (const session of counts) {
    const own = received().filter((content) => content.startsWith(`${session} `));
    expect(own).toEqual(Array.from({ length: 30 }, (_, index) => `${session} ${index}`));
  }
  const ids = shared.receiver.received(path).map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(360);
});

test('who loses the lease stops, and writes nothing down; another goes on', async () => {
  const { api, workspace, hook, path, received, say, deliveries } = await newScene();
  shared.receiver.answerWith(path, [undefined]);
  await say('one', 'two');
  const sending = api.app.webhooks.drain();
  await vi.waitUntil(() => received().length === 1, { timeout: 60_000 });
  // As if its node had slept: the lease is over, and another has it.
  await api.db.run(sql`
    update webhooks set lease_owner = ${newId()}, lease_until = ${new Date(0).toISOString()}
    where workspace_id = ${workspace.id} and id = ${hook.id}`);
  await api.app.webhooks.heartbeat();
  await sending;
  expect((await deliveries()).map(({ status }: { status: string }) => status)).not.toContain('failed');
  await anotherNode().drain();
  expect(received()).toEqual(['one', 'one', 'two']);
  const all = await deliveries();
  expect(all.map(({ status }: { status: string }) => status)).toEqual(['delivered', 'delivered']);
  expect(all[1].attempts).toHaveLength(1);
});

test('who lost the lease and does not know it writes nothing down either', async () => {
  const { api, workspace, hook, path, received, say, deliveries } = await newScene();
  shared.receiver.answerWith(path, [undefined]);
  await say('one');
  const sending = api.app.webhooks.drain();
  await vi.waitUntil(() => received().length === 1, { timeout: 60_000 });
  // Another has it, and long enough.
  const until = new Date(api.clock.nowMs() + 60_000).toISOString();
  await api.db.run(sql`
    update webhooks set lease_owner = ${newId()}, lease_until = ${until} where workspace_id = ${workspace.id} and id = ${hook.id}`);
  shared.receiver.answerHanging(500);
  await sending;
  expect(await deliveries()).toMatchObject([{ status: 'pending', attempts: [] }]);
  api.clock.advance(61_000);
  await anotherNode().drain();
  expect(await deliveries()).toMatchObject([{ status: 'delivered', attempts: [{ status: 200 }] }]);
});

test('a receiver that hangs holds up nobody else, nor other sessions of its own', async () => {
  const slow = await newScene();
  const quick = await newScene();
  shared.receiver.decide(slow.path, ({ body }) => (body.includes('hang') ? undefined : 200));
  await slow.say('hang', 'behind it');
  const sending = slow.api.app.webhooks.drain();
  await vi.waitUntil(() => slow.received().includes('hang'), { timeout: 60_000 });
  await slow.say('beside it');
  await quick.say('elsewhere');
  // A node takes up others meanwhile; here that is asked for.
  const other = anotherNode();
  const isElsewhere = async () => {
    await other.drain();
    return slow.received().includes('beside it') && quick.received().includes('elsewhere');
  };
  await vi.waitUntil(isElsewhere, { timeout: 60_000 });
  expect(slow.received()).toEqual(['hang', 'beside it']);
  shared.receiver.answerHanging(200);
  await sending;
  expect(slow.received()).toEqual(['hang', 'beside it', 'behind it']);
});

test('once a deletion is answered nothing is sent, whatever is on its way', async () => {
  const { api, workspace, hookUrl, path, received, say } = await newScene();
  shared.receiver.answerWith(path, [undefined]);
  await say('one', 'two');
  const sending = api.app.webhooks.drain();
  await vi.waitUntil(() => received().length === 1, { timeout: 60_000 });
  expect((await workspace.owner.delete(hookUrl)).status).toBe(204);
  expect(await api.countRows('webhook_deliveries', workspace.id)).toBe(0);
  shared.receiver.answerHanging(200);
  await sending;
  await api.app.webhooks.drain();
  expect(received()).toEqual(['one']);
  expect(await api.countRows('webhook_deliveries', workspace.id)).toBe(0);
});

test('what is sent after a change goes by the change', async () => {
  const { api, workspace, hookUrl, path, received, say } = await newScene();
  const newPath = `/${newId()}`;
  shared.receiver.answerWith(path, [undefined]);
  await say('one', 'two');
  const sending = api.app.webhooks.drain();
  await vi.waitUntil(() => received().length === 1, { timeout: 60_000 });
  const { body } = await workspace.owner.put(hookUrl, { url: shared.receiver.url(newPath) });
  expect(body.url).toBe(shared.receiver.url(newPath));
  shared.receiver.answerHanging(200);
  await sending;
  await api.app.webhooks.drain();
  expect(received()).toEqual(['one']);
  expect(shared.receiver.received(newPath).map(({ event }) => (event.data.message as { content: string }).content)).toEqual(['two']);
});

test('a disabled one is not sent to until it is active again', async () => {
  const { api, workspace, hookUrl, received, say } = await newScene();
  await workspace.owner.put(hookUrl, { status: 'disabled' });
  await say('one', 'two');
  await api.app.webhooks.drain();
  expect(received()).toEqual([]);
  await workspace.owner.put(hookUrl, { status: 'active' });
  await api.app.webhooks.drain();
  expect(received()).toEqual(['one', 'two']);
});

test('events of a node that stopped before it told anybody are found', async () => {
  const { api, received, say } = await newScene();
  await api.app.webhooks.drain();
  await say('one');
  // It publishes, and nobody listens to it.
  await new Outbox(api.db, [], true).distribute();
  await api.app.webhooks.drain();
  expect(received()).toEqual([]);
  await wakeForgottenWebhooks(api.db, api.clock).run({} as Job, new AbortController().signal);
  await api.app.webhooks.drain();
  expect(received()).toEqual(['one']);
});

test('what is over goes with its age, and what is pending stays', async () => {
  const { api, workspace, hookUrl, path, say, deliveries } = await newScene();
  await say('delivered');
  await api.app.webhooks.drain();
  shared.receiver.answerWith(path, [500]);
  await say('pending');
  await api.app.webhooks.drain();
  const { log } = api.app.context;
  const drop = (beforeMs: number) => dropOldDeliveries(api.db, beforeMs, log, new AbortController().signal);
  await drop(api.clock.nowMs() - 60_000);
  expect(await deliveries()).toHaveLength(2);
  await drop(api.clock.nowMs() + 60_000);
  expect((await deliveries()).map(({ status }: { status: string }) => status)).toEqual(['pending']);
  // Of one that is switched off for as long, its events are gone too.
  await workspace.owner.put(hookUrl, { status: 'disabled' });
  await drop(api.clock.nowMs() - 60_000);
  expect(await deliveries()).toHaveLength(1);
  await drop(api.clock.nowMs() + 60_000);
  expect(await deliveries()).toHaveLength(0);
});
