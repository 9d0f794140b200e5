/** Answers of megabytes: the same bytes as in one piece, in step with whoever reads them. */
import { once } from 'node:events';
import { request as sendRequest } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { made, openApi, type TestSession } from '../../test/api.ts';
import { largeWork } from '../lanes/loop-turns.ts';
import { RequestLog } from './request-log.ts';

const MESSAGES = 60;
const TIMEOUT_MS = 60_000;
const { api, close } = await openApi({ COMMONPLACE_RATE_LIMIT: 'off' });
afterAll(close);
await api.app.server.listen({ host: '127.0.0.1', port: 0 });
const { port } = api.app.server.server.address() as AddressInfo;
let session: TestSession;
let path: string;
const contentOf = (number: number) => `${number} ä😀"\\\u0001 ${'x'.repeat(100_000)}`;

beforeAll(async () => {
  session = await api.newSession();
  const messages = Array.from({ length: MESSAGES }, (_, number) => ({ role: 'user', content: contentOf(number) }));
  const body = made(await session.runtime.post(`${session.url}/messages/batch`, { messages }));
  expect(body.messages.map(({ content }: { content: string }) => content)).toEqual(messages.map(({ content }) => content));
  path = `${session.url}/messages?limit=100`;
}, TIMEOUT_MS);

interface Received {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly bytes: Buffer;
}

async function receive(method: string, headers: Record<string, string> = {}): Promise<Received> {
  const request = sendRequest({ port, path: `/api/v1${path}`, method, headers: { ...session.runtime.headers, ...headers } });
  request.end();
  const [answer] = await once(request, 'response');
  const pieces: Buffer[] = [];
  for await (const piece of answer) pieces.push(piece);
  return { status: answer.statusCode, headers: answer.headers, bytes: Buffer.concat(pieces) };
}

const isIdle = () => expect.poll(() => api.app.api.limits.gauges(), { timeout: 15_000 }).toMatchObject({ in_flight: 0 });

test('a long page is whole, tagged, and known again by its tag', { timeout: TIMEOUT_MS }, async () => {
  const { status, headers, bytes } = await receive('GET');
  expect(status).toBe(200);
  expect(Number(headers['content-length'])).toBe(bytes.length);
  const { messages, _meta } = JSON.parse(bytes.toString());
  expect(messages.map(({ content }: { content: string }) => content)).toEqual(Array.from({ length: MESSAGES }, (_, i) => contentOf(i)));
  expect(_meta.total).toBe(MESSAGES);
  const again = await receive('GET', { 'if-none-match': String(headers.etag) });
  expect([again.status, again.bytes.length, again.headers.etag]).toEqual([304, 0, headers.etag]);
  const head = await receive('HEAD');
  expect(head).toMatchObject({ status: 200, headers: { etag: headers.etag, 'content-length': headers['content-length'] } });
});

test('each piece of it has a turn of the event loop of its own', { timeout: TIMEOUT_MS }, async () => {
  const taken = vi.spyOn(largeWork, 'take');
  onTestFinished(() => taken.mockRestore());
  await receive('GET');
  // Every message is longer than a piece has to be.
  expect(taken.mock.calls.length).toBeGreaterThan(MESSAGES);
});

test('compressed it is the same', { timeout: TIMEOUT_MS }, async () => {
  const plain = await receive('GET');
  const { headers, bytes } = await receive('GET', { 'accept-encoding': 'gzip' });
  expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: expect.stringContaining('Accept-Encoding'), etag: plain.headers.etag });
  expect(gunzipSync(bytes).equals(plain.bytes)).toBe(true);
});

test('those before it are over, whichever way they were asked', isIdle);

test('a search that finds much is answered alike', { timeout: TIMEOUT_MS }, async () => {
  const { status, body } = await session.runtime.post(`${session.url}/messages/search`, { query: '7', limit: 20 });
  expect(status).toBe(200);
  expect(body.results.length).toBeGreaterThan(3);
  for (const { text } of body.results) expect(text).toBe(contentOf(Number.parseInt(text, 10)));
});

test('whoever reads nothing keeps nobody waiting, and gets all of it in the end', { timeout: TIMEOUT_MS }, async () => {
  const { 'x-api-key': key, 'x-access-key': accessKey } = session.runtime.headers;
  const socket = connect({ port, host: '127.0.0.1' });
  const credential = key ? `x-api-key: ${key}` : `x-access-key: ${accessKey}`;
  socket.write(`GET /api/v1${path} HTTP/1.1\r\nhost: localhost\r\n${credential}\r\nconnection: close\r\n\r\n`);
  await expect.poll(() => api.app.api.limits.gauges().in_flight, { timeout: 15_000 }).toBe(1);
  expect((await session.runtime.get(`${session.url}/messages?limit=1`)).status).toBe(200);
  let length = 0;
  let start = '';
  for await (const piece of socket) {
    length += piece.length;
    if (start.length < 20) start += piece.toString('latin1');
  }
  expect(start).toMatch(/^HTTP\/1\.1 200 /);
  expect(length).toBeGreaterThan(MESSAGES * 100_000);
  await isIdle();
});

test('whoever hangs up half-way leaves nothing behind, and no failure in the log', { timeout: TIMEOUT_MS }, async () => {
  const failed = vi.spyOn(RequestLog.prototype, 'error');
  for (const headers of [{}, { 'accept-encoding': 'gzip' }]) {
    const request = sendRequest({ port, path: `/api/v1${path}`, headers: { ...session.runtime.headers, ...headers } });
    request.end();
    const [answer] = await once(request, 'response');
    await once(answer, 'data');
    answer.destroy();
    await isIdle();
  }
  expect(failed).not.toHaveBeenCalled();
  expect((await receive('GET')).status).toBe(200);
});
