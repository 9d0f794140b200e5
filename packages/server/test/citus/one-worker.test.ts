/** Which servers take part in a request, by what Citus says that it sends to them. */
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { type Answer, openApi } from '../api.ts';
import { createTestDatabase } from '../database.ts';
import { migratedTemplate } from '../migrated-template.ts';

interface Sent {
  readonly command: string;
  readonly server: string;
}

/** What the coordinator sends to others while `work` runs. */
async function sentDuring(work: () => Promise<unknown>): Promise<Sent[]> {
  const sent: Sent[] = [];
  const emit = pg.Client.prototype.emit;
  pg.Client.prototype.emit = function (name: string | symbol, ...values: unknown[]) {
    const { message, detail } = (values[0] ?? {}) as { message?: string; detail?: string };
    if (name === 'notice' && message?.startsWith('issuing '))
      sent.push({ command: message.slice('issuing '.length), server: detail ?? '' });
    return emit.call(this, name, ...values);
  };
  try {
    await work();
  } finally {
    pg.Client.prototype.emit = emit;
  }
  return sent.map(({ command, server }) => ({ command, server: server.replace(/ connectionId.*/s, '') }));
}

async function openLoggedApi() {
  const database = await createTestDatabase(migratedTemplate);
  onTestFinished(database.drop);
  const url = new URL(database.url);
  url.searchParams.set('options', '-c citus.log_remote_commands=on');
  const { api, close } = await openApi({ COMMONPLACE_DATABASE_URL: url.href });
  onTestFinished(close);
  return api;
}

const serversIn = (sent: readonly Sent[]) => [...new Set(sent.map(({ server }) => server))];
const count = (sent: readonly Sent[], command: RegExp) => sent.filter((one) => command.test(one.command)).length;

function expectCreated({ status, text }: Answer): void {
  expect(status, text).toBe(201);
}

test('a message is the transaction of one worker, with an Idempotency-Key too', async () => {
  const api = await openLoggedApi();
  const { runtime, url } = await api.newSession();
  const body = { role: 'user', content: 'I live in Lisbon.' };
  for (const headers of [undefined, { 'idempotency-key': 'once' }]) {
    const sent = await sentDuring(async () => expectCreated(await runtime.post(`${url}/messages`, body, headers)));
    expect(serversIn(sent)).toHaveLength(1);
    expect(count(sent, /^BEGIN/i)).toBe(1);
    expect(count(sent, /^COMMIT/i)).toBe(1);
    expect(count(sent, /PREPARE TRANSACTION/i)).toBe(0);
  }
});

test('a batch of messages, an edit and a deletion stay on one worker, too', async () => {
  const api = await openLoggedApi();
  const { runtime, url } = await api.newSession();
  const sent = await sentDuring(async () => {
    const messages = Array.from({ length: 20 }, (_, index) => ({ role: 'user', content: `Message ${index}` }));
    const { body } = await runtime.post(`${url}/messages/batch`, { messages });
    const id = body.messages[0].id as string;
    expect((await runtime.put(`${url}/messages/${id}`, { content: 'Another' })).status).toBe(200);
    expect((await runtime.delete(`${url}/messages/${id}`)).status).toBe(204);
  });
  expect(serversIn(sent)).toHaveLength(1);
  expect(count(sent, /PREPARE TRANSACTION/i)).toBe(0);
});

test('a change that leaves a job on the coordinator is committed in two phases with it', async () => {
  const api = await openLoggedApi();
  const { runtime, url } = await api.newAgent();
  const sent = await sentDuring(async () => expect((await runtime.delete(url)).status).toBe(204));
  expect(serversIn(sent)).toHaveLength(1);
  expect(count(sent, /^PREPARE TRANSACTION/i)).toBe(1);
  expect(count(sent, /^COMMIT PREPARED/i)).toBe(1);
});

test('signing in asks no worker', async () => {
  const api = await openLoggedApi();
  const account = { email: 'ada@example.com', name: 'Ada', password: 'a long enough password' };
  const sent = await sentDuring(async () => {
    expectCreated(await api.anonymous.post('/auth/register', account));
    const { status } = await api.anonymous.post('/auth/login', { email: account.email, password: account.password });
    expect(status).toBe(200);
  });
  expect(sent).toEqual([]);
});
