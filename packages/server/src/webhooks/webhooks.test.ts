import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { anId, aTime, atOnce, made, type OpenedApi, openApi, refusal, type TestApi, test, walk } from '../../test/api.ts';
import { openReceiver, type Received, type Receiver } from '../../test/webhook-receiver.ts';
import { newId } from '../db/ids.ts';
import { sql } from '../db/sql.ts';
import { MOST_WEBHOOKS } from './store.ts';

const url = 'https://hooks.example.com/commonplace';
const aSecret = expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/);

describe('a webhook', () => {
  test('is made with its secret, read, listed newest first, changed and deleted', async ({ api }) => {
    const { id: workspaceId, url: home, owner } = await api.newWorkspace();
    const created = await owner.post(`${home}/webhooks`, { url, types: ['message.created', 'message.created'], description: 'Help desk' });
    expect(created).toMatchObject({ status: 201 });
    const { secret, ...webhook } = created.body;
    expect(secret).toEqual(aSecret);
    expect(webhook).toEqual({
      id: anId,
      workspaceId,
      url,
      types: ['message.created'],
      description: 'Help desk',
      status: 'active',
      disabledReason: null,
      lastSuccessAt: null,
      failingSince: null,
      createdAt: aTime,
      updatedAt: webhook.createdAt,
    });
    const { secret: _, ...second } = made(await owner.post(`${home}/webhooks`, { url: 'http://example.com:8080/x', status: 'disabled' }));
    expect(second).toMatchObject({ types: [], description: '', status: 'disabled' });

    expect((await owner.get(`${home}/webhooks/${webhook.id}`)).body).toEqual(webhook);
    expect((await owner.get(`${home}/webhooks`)).body).toEqual({ webhooks: [second, webhook], _meta: { limit: 50, offset: 0, total: 2 } });

    api.clock.advance(1_000);
    const changed = await owner.put(`${home}/webhooks/${webhook.id}`, { types: null, description: null, status: 'disabled' });
    expect(changed).toMatchObject({ status: 200, body: { url, types: [], description: '', status: 'disabled' } });
    expect(changed.body.updatedAt > webhook.updatedAt).toBe(true);
    const kept = await owner.put(`${home}/webhooks/${webhook.id}`, {});
    expect(kept.body).toMatchObject({ url, types: [], status: 'disabled' });

    expect((await owner.delete(`${home}/webhooks/${webhook.id}`)).status).toBe(204);
    expect(await owner.get(`${home}/webhooks/${webhook.id}`)).toEqual(refusal(404, 'Webhook not found'));
    expect(await owner.put(`${home}/webhooks/${webhook.id}`, {})).toEqual(refusal(404, 'Webhook not found'));
    expect(await owner.delete(`${home}/webhooks/${webhook.id}`)).toEqual(refusal(404, 'Webhook not found'));
    for (const verb of ['test', 'rotate']) {
      expect(await owner.post(`${home}/webhooks/${webhook.id}/${verb}`)).toEqual(refusal(404, 'Webhook not found'));
    }
    expect(await owner.get(`${home}/webhooks/${webhook.id}/deliveries`)).toEqual(refusal(404, 'Webhook not found'));
    expect(await owner.post(`${home}/webhooks/${second.id}/deliveries/${newId()}/redeliver`)).toEqual(refusal(409, 'Webhook is disabled'));
  });

  test.for<[Record<string, unknown>, string]>([
    [{}, 'Url is required'],
    [{ url: '' }, 'Url is required'],
    [{ url: 7 }, 'Url must be a string'],
    [{ url: 'example.com' }, 'Url must be an http or https address'],
    [{ url: 'ftp://example.com/' }, 'Url must be an http or https address'],
    [{ url: 'https://' }, 'Url must be an http or https address'],
    [{ url: 'https://exam ple.com/' }, 'Url must be an http or https address'],
    [{ url: 'https://example.com/\t' + 'x' }, 'Url must be an http or https address'],
    [{ url: 'https:\\\\example.com' }, 'Url must be an http or https address'],
    [{ url: 'https://user:password@example.com/' }, 'Url must not contain credentials'],
    [{ url: 'https://user@example.com/' }, 'Url must not contain credentials'],
    [{ url: 'https://@example.com/' }, 'Url must not contain credentials'],
    [{ url: `https://example.com/${'x'.repeat(2_048)}` }, 'Url must not exceed 2048 characters'],
    [{ url: 'http://127.0.0.1:9/' }, 'Url must not lead to a private address'],
    [{ url: 'http://2130706433/' }, 'Url must not lead to a private address'],
    [{ url: 'http://0x7f.1/' }, 'Url must not lead to a private address'],
    [{ url: 'http://[::ffff:10.0.0.1]/' }, 'Url must not lead to a private address'],
    [{ url: 'http://169.254.169.254/latest' }, 'Url must not lead to a private address'],
    [{ url: 'http://localhost:8080/' }, 'Url must not lead to a private address'],
    [{ url, status: 'paused' }, 'Status must be one of: active disabled'],
    [{ url, description: 'x'.repeat(1_001) }, 'Description must not exceed 1000 characters'],
  ])('is refused as %j', async ([body, message], { api }) => {
    const { url: home, owner } = await api.newWorkspace();
    const path = message.startsWith('Url') ? 'url' : message.toLowerCase().split(' ')[0];
    expect(await owner.post(`${home}/webhooks`, body)).toEqual(refusal(400, message, path));
    if (!body.url) return;
    const { id } = made(await owner.post(`${home}/webhooks`, { url }));
    expect(await owner.put(`${home}/webhooks/${id}`, body)).toEqual(refusal(400, message, path));
  });

  test('knows the types of events that there are', async ({ api }) => {
    const { url: home, owner } = await api.newWorkspace();
    const answer = await owner.post(`${home}/webhooks`, { url, types: ['message.created', 'message.eaten'] });
    expect(answer.status).toBe(400);
    expect(answer.body.details[0].path).toBe('types.1');
    expect(answer.body.errorMessage).toMatch(/^Types must be one of: .*\bmessage\.created\b/);
  });

  test('is one of fifty at most, however many are made at once', async ({ api }) => {
    const { url: home, owner } = await api.newWorkspace();
    const { statuses } = await atOnce(MOST_WEBHOOKS + 10, () => owner.post(`${home}/webhooks`, { url }));
    expect(statuses).toEqual({ 201: MOST_WEBHOOKS, 409: 10 });
    const { rows } = await walk(owner, `${home}/webhooks`, 'webhooks', 20);
    expect(rows).toHaveLength(MOST_WEBHOOKS);
    expect(await owner.post(`${home}/webhooks`, { url })).toEqual(refusal(409, 'A workspace has at most 50 webhooks'));
  });

  test('is for owners and admins', async ({ api }) => {
    const workspace = await api.newWorkspace();
    const { id } = made(await workspace.owner.post(`${workspace.url}/webhooks`, { url }));
    const admin = await api.newMember(workspace, 'admin');
    expect((await admin.client.get(`${workspace.url}/webhooks/${id}`)).status).toBe(200);
    const reader = await api.newMember(workspace, 'readonly');
    expect((await reader.client.get(`${workspace.url}/webhooks`)).status).toBe(403);
    expect((await (await api.newAccessKey(workspace)).get(`${workspace.url}/webhooks`)).status).toBe(403);
  });

  test('changes are in the audit log and in the events, and its secret is in neither, nor in any other answer', async ({ api }) => {
    const { id: workspaceId, url: home, owner } = await api.newWorkspace();
    const key = { 'idempotency-key': 'a-key' };
    const { id, secret } = made(await owner.post(`${home}/webhooks`, { url }, key));
    const replayed = await owner.post(`${home}/webhooks`, { url }, key);
    expect(replayed.text).not.toContain(secret);
    const { body: rotated } = await owner.post(`${home}/webhooks/${id}/rotate`);
    expect(rotated).toMatchObject({ id, secret: aSecret });
    expect(rotated.secret).not.toBe(secret);
    const texts = [
      (await owner.get(`${home}/webhooks/${id}`)).text,
      (await owner.get(`${home}/webhooks`)).text,
      (await owner.put(`${home}/webhooks/${id}`, { description: 'x' })).text,
      (await owner.get(`${home}/webhooks/${id}/deliveries`)).text,
      (await owner.post(`${home}/webhooks/${id}/test`)).text,
    ];
    await owner.delete(`${home}/webhooks/${id}`);
    const audits = await owner.get(`${home}/audits`);
    const events = await owner.get(`${home}/events`);
    expect(audits.body.audits.map(({ action }: { action: string }) => action).slice(0, 4)).toEqual([
      'webhook.delete',
      'webhook.update',
      'webhook.rotate',
      'webhook.create',
    ]);
    expect(audits.body.audits[3]).toMatchObject({ resourceId: id, detail: { url, types: [], description: '', status: 'active' } });
    expect(events.body.events.map(({ type }: { type: string }) => type).slice(-4)).toEqual([
      'webhook.created',
      'webhook.updated',
      'webhook.updated',
      'webhook.deleted',
    ]);
    for (const text of [...texts, audits.text, events.text]) {
      for (const hidden of [secret, rotated.secret]) expect(text).not.toContain(hidden.slice('whsec_'.length));
    }
    expect(await api.countRows('webhooks', workspaceId)).toBe(0);
    expect(await api.countRows('webhook_deliveries', workspaceId)).toBe(0);
  });
});

/** A service that may call loopback, and a receiver there. */
const shared = {} as { opened: OpenedApi; receiver: Receiver };
beforeAll(async () => {
  shared.opened = await openApi({ COMMONPLACE_WEBHOOKS_ALLOW: '127.0.0.1' });
  shared.receiver = await openReceiver();
});
afterAll(async () => {
  await shared.opened.close();
  await shared.receiver.close();
});

async function newScene(fields: Record<string, unknown> = {}) {
  const { opened, receiver } = shared;
  const { api } = opened;
  const session = await api.newSession();
  const { workspace } = session.agent;
  const path = `/${newId()}`;
  const hook = made(await workspace.owner.post(`${workspace.url}/webhooks`, { url: receiver.url(path), ...fields }));
  const hookUrl = `${workspace.url}/webhooks/${hook.id}`;
  return {
    api,
    session,
    workspace,
    owner: workspace.owner,
    hook,
    hookUrl,
    received: () => receiver.received(path),
    answerWith: (...statuses: number[]) => receiver.answerWith(path, statuses),
    deliveries: async () => (await workspace.owner.get(`${hookUrl}/deliveries`)).body.deliveries,
    say: async (content: string) => made(await session.runtime.post(`${session.url}/messages`, { role: 'user', content })),
  };
}

/** By the package, whose own check looks at the clock of this machine too. */
function isSignedBy(secret: string, { headers, body }: Received): boolean {
  const at = new Date(Number(headers['webhook-timestamp']) * 1000);
  return String(headers['webhook-signature'])
    .split(' ')
    .includes(new Webhook(secret).sign(String(headers['webhook-id']), at, body));
}

const drain = (api: TestApi) => api.app.webhooks.drain();

describe('deliveries', () => {
  test('are the events from then on, signed, and listed newest first', async () => {
    const { api, session, workspace, owner, hook, received, say, deliveries } = await newScene();
    const message = await say('Hello');
    await drain(api);
    const [first, ...others] = received();
    expect(others).toEqual([]);
    const { events } = (await owner.get(`${workspace.url}/events?types=message.created`)).body;
    expect(first?.event).toEqual(events[0]);
    expect(first?.event).toMatchObject({
      type: 'message.created',
      sessionId: session.id,
      data: { message: { id: message.id, content: 'Hello' } },
    });
    expect(first?.headers).toMatchObject({ 'webhook-id': events[0].id, 'content-type': 'application/json' });
    expect(() => new Webhook(hook.secret).verify(first?.body ?? '', first?.headers as Record<string, string>)).not.toThrow();

    await say('Again');
    await drain(api);
    expect(await deliveries()).toEqual(
      [1, 0].map((index) => ({
        id: anId,
        webhookId: hook.id,
        eventId: received()[index]?.headers['webhook-id'],
        type: 'message.created',
        status: 'delivered',
        attempts: [{ attemptedAt: aTime, durationMs: expect.any(Number), status: 200, answer: 'ok', error: null }],
        nextAttemptAt: null,
        createdAt: aTime,
        updatedAt: aTime,
      })),
    );
    expect((await owner.get(`${workspace.url}/webhooks/${hook.id}`)).body).toMatchObject({ lastSuccessAt: aTime, failingSince: null });
  });

  test('are of the types that were asked for', async () => {
    const { api, workspace, owner, received, say } = await newScene({ types: ['webhook.created'] });
    await say('Not this');
    const { id } = made(await owner.post(`${workspace.url}/webhooks`, { url, status: 'disabled' }));
    await drain(api);
    expect(received().map(({ event }) => event)).toMatchObject([
      { type: 'webhook.created', data: { webhook: { id, status: 'disabled' } } },
    ]);
    expect(received()[0]?.body).not.toContain('whsec_');
  });

  test('say what is there when they are sent, and nothing of what was deleted', async () => {
    const { api, session, received, say, answerWith } = await newScene({ types: ['message.created'] });
    answerWith(500);
    const message = await say('Something secret');
    await drain(api);
    expect(received()[0]?.body).toContain('Something secret');
    expect((await session.runtime.delete(`${session.url}/messages/${message.id}`)).status).toBe(204);
    api.clock.advance(6_000);
    await drain(api);
    expect(received()).toHaveLength(2);
    expect(received()[1]?.body).not.toContain('secret');
    expect(received()[1]?.event.data).toEqual({ message: { id: message.id } });
  });

  test('are tried again later with the same id, and keep the order of their session', async () => {
    const { api, session, hookUrl, owner, received, say, answerWith, deliveries } = await newScene({ types: ['message.created'] });
    const other = await api.newSession(session.agent);
    answerWith(503);
    await say('one');
    await drain(api);
    expect((await owner.get(hookUrl)).body.failingSince).toEqual(aTime);
    await say('two');
    made(await other.runtime.post(`${other.url}/messages`, { role: 'user', content: 'elsewhere' }));
    await drain(api);
    // What goes to another session does not wait.
    const contents = () => received().map(({ event }) => (event.data.message as { content: string }).content);
    expect(contents()).toEqual(['one', 'elsewhere']);
    const [, waiting, failed] = await deliveries();
    expect(failed).toMatchObject({ status: 'pending', attempts: [{ status: 503, error: 'The answer was 503' }] });
    expect(Date.parse(failed.nextAttemptAt) - Date.parse(failed.updatedAt)).toBeGreaterThanOrEqual(5_000);
    expect(Date.parse(failed.nextAttemptAt) - Date.parse(failed.updatedAt)).toBeLessThanOrEqual(5_500);
    expect(waiting).toMatchObject({ status: 'pending', attempts: [], nextAttemptAt: null });
    api.clock.advance(6_000);
    await drain(api);
    expect(contents()).toEqual(['one', 'elsewhere', 'one', 'two']);
    expect(received()[2]?.headers['webhook-id']).toBe(received()[0]?.headers['webhook-id']);
    expect((await owner.get(hookUrl)).body.failingSince).toBeNull();
  });

  test('that fail to the end switch the webhook off, which goes on where it stopped when it is switched on', async () => {
    const { api, hook, hookUrl, owner, workspace, received, say, answerWith, deliveries } = await newScene({ types: ['message.created'] });
    answerWith(...Array(10).fill(500));
    await say('one');
    await say('two');
    const waits = ['5 s', '5 min', '30 min', '2 h', '5 h', '10 h', '14 h', '20 h', '24 h'];
    const inMs = (text: string) => Number.parseInt(text, 10) * ({ s: 1_000, min: 60_000, h: 3_600_000 }[text.split(' ')[1] as string] ?? 0);
    for (const [index, wait] of waits.entries()) {
      await drain(api);
      expect(received(), wait).toHaveLength(index + 1);
      const [, { attempts, nextAttemptAt, updatedAt }] = await deliveries();
      expect(attempts).toHaveLength(index + 1);
      const waitMs = Date.parse(nextAttemptAt) - Date.parse(updatedAt);
      expect(waitMs).toBeGreaterThanOrEqual(inMs(wait));
      expect(waitMs).toBeLessThanOrEqual(inMs(wait) * 1.1 + 1);
      api.clock.advance(waitMs - 2_000);
      await drain(api);
      expect(received(), `before ${wait}`).toHaveLength(index + 1);
      api.clock.advance(2_000);
    }
    await drain(api);
    expect(received()).toHaveLength(10);
    const reason = 'A delivery failed 10 times. The answer was 500';
    expect((await owner.get(hookUrl)).body).toMatchObject({ status: 'disabled', disabledReason: reason, failingSince: aTime });
    const [second, first] = await deliveries();
    expect(first).toMatchObject({ status: 'failed', nextAttemptAt: null });
    expect(first.attempts).toHaveLength(10);
    const [audit] = (await owner.get(`${workspace.url}/audits?action=webhook.disable`)).body.audits;
    expect(audit).toMatchObject({
      actorType: 'system',
      resourceId: hook.id,
      detail: { reason, deliveryId: first.id, eventId: first.eventId },
    });

    await say('three');
    api.clock.advance(60_000);
    await drain(api);
    expect(received()).toHaveLength(10);
    expect(await owner.post(`${hookUrl}/test`)).toEqual(refusal(409, 'Webhook is disabled'));
    expect((await owner.put(hookUrl, { status: 'active' })).body).toMatchObject({
      status: 'active',
      disabledReason: null,
      failingSince: null,
    });
    await drain(api);
    expect(
      received()
        .slice(10)
        .map(({ event }) => (event.data.message as { content: string }).content),
    ).toEqual(['two', 'three']);
    expect((await deliveries()).find(({ id }: { id: string }) => id === second.id).status).toBe('delivered');
  });

  test('are sent again when asked for', async () => {
    const { api, hookUrl, owner, received, say, answerWith, deliveries } = await newScene({ types: ['message.created'] });
    await say('one');
    await drain(api);
    const [{ id }] = await deliveries();
    const again = await owner.post(`${hookUrl}/deliveries/${id}/redeliver`);
    expect(again).toMatchObject({ status: 202, body: { id, status: 'pending' } });
    answerWith(500);
    await say('two');
    await drain(api);
    expect(received()).toHaveLength(3);
    expect(
      received()[1]?.headers['webhook-id'] === received()[0]?.headers['webhook-id'] ||
        received()[2]?.headers['webhook-id'] === received()[0]?.headers['webhook-id'],
    ).toBe(true);
    // The one that failed of the two is tried now.
    const [pending] = (await deliveries()).filter(({ status }: { status: string }) => status === 'pending');
    expect((await owner.post(`${hookUrl}/deliveries/${pending.id}/redeliver`)).status).toBe(202);
    await drain(api);
    expect((await deliveries()).map(({ status }: { status: string }) => status)).toEqual(['delivered', 'delivered']);
    expect(await owner.post(`${hookUrl}/deliveries/${newId()}/redeliver`)).toEqual(refusal(404, 'Delivery not found'));
  });

  test('can be tested once, whatever becomes of it', async () => {
    const { api, workspace, hook, hookUrl, owner, received, answerWith, deliveries } = await newScene({ types: ['memory.created'] });
    answerWith(418);
    const answer = await owner.post(`${hookUrl}/test`);
    expect(answer).toMatchObject({ status: 202, body: { type: 'webhook.test', status: 'pending', attempts: [] } });
    await drain(api);
    const [tried] = received();
    expect(tried?.event).toEqual({
      id: answer.body.eventId,
      type: 'webhook.test',
      workspaceId: workspace.id,
      createdAt: answer.body.createdAt,
      data: { webhook: expect.objectContaining({ id: hook.id, url: hook.url }) },
    });
    expect(tried?.body).not.toContain('whsec_');
    expect(isSignedBy(hook.secret, tried as Received)).toBe(true);
    api.clock.advance(24 * 3_600_000);
    await drain(api);
    expect(received()).toHaveLength(1);
    expect(await deliveries()).toMatchObject([{ status: 'failed', attempts: [{ status: 418 }] }]);
    expect((await owner.get(hookUrl)).body.status).toBe('active');
  });

  test('are signed with the old secret too, for a day after it was replaced', async () => {
    const { api, hook, hookUrl, owner, received, say } = await newScene();
    const verify = (secret: string, index: number) => isSignedBy(secret, received()[index] as Received);
    const { secret } = (await owner.post(`${hookUrl}/rotate`)).body;
    await say('one');
    await drain(api);
    expect([verify(secret, 0), verify(hook.secret, 0)]).toEqual([true, true]);
    api.clock.advance(24 * 3_600_000 + 1_000);
    await say('two');
    await drain(api);
    expect([verify(secret, 1), verify(hook.secret, 1)]).toEqual([true, false]);
  });

  test('end with the webhook: nothing is sent after its deletion, and none of their rows stays', async () => {
    const { api, workspace, hookUrl, owner, received, say, answerWith } = await newScene();
    answerWith(500);
    await say('one');
    await say('two');
    await drain(api);
    expect(received()).toHaveLength(1);
    expect((await owner.delete(hookUrl)).status).toBe(204);
    api.clock.advance(60_000);
    await drain(api);
    await api.drainJobs();
    expect(received()).toHaveLength(1);
    expect(await api.countRows('webhook_deliveries', workspace.id)).toBe(0);
  });

  test('of an event that is gone are dropped, and those behind them have their turn', async () => {
    const { api, workspace, received, say, answerWith, deliveries } = await newScene({ types: ['message.created'] });
    answerWith(500);
    await say('one');
    await drain(api);
    await say('two');
    await drain(api);
    await api.db.run(sql`
      delete from events where workspace_id = ${workspace.id} and type = 'message.created' and seq in (
        select min(seq) from events where workspace_id = ${workspace.id} and type = 'message.created')`);
    api.clock.advance(6_000);
    await drain(api);
    expect(received().map(({ event }) => (event.data.message as { content: string }).content)).toEqual(['one', 'two']);
    expect(await deliveries()).toHaveLength(1);
  });

  test('go with the workspace and, where they are over, with the session', async () => {
    const { api, session, workspace, owner, say, deliveries } = await newScene({ types: ['message.created'] });
    await say('one');
    await drain(api);
    expect(await deliveries()).toHaveLength(1);
    expect((await session.runtime.delete(session.url)).status).toBe(204);
    await api.drainJobs();
    expect(await deliveries()).toHaveLength(0);
    await owner.post(`${workspace.url}/webhooks/${newId()}/test`);
    expect((await owner.delete(workspace.url)).status).toBe(204);
    await api.drainJobs();
    expect(await api.countRows('webhook_deliveries', workspace.id)).toBe(0);
    expect(await api.countRows('webhooks', workspace.id)).toBe(0);
  });
});
