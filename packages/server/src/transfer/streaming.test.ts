/** Export and import over connections: compressed, broken off, slow. */
import { once } from 'node:events';
import { type ClientRequest, request as sendRequest } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { openApi, type TestWorkspace } from '../../test/api.ts';
import { contentsOf, exportOf, importInto, linesOf, newFullWorkspace } from '../../test/transfer.ts';
import { agentLine, header, LINES, messageLine, sessionLine, streamOf } from '../../test/transfer-lines.ts';
import { newId } from '../db/ids.ts';

const { api, close } = await openApi({ COMMONPLACE_RATE_LIMIT: 'off' });
afterAll(close);
await api.app.server.listen({ host: '127.0.0.1', port: 0 });
const { port } = api.app.server.server.address() as AddressInfo;
const { workspace } = await newFullWorkspace(api);
const isIdle = () => expect.poll(() => api.app.api.limits.gauges()).toMatchObject({ in_flight: 0 });

function ask(method: string, path: string, headers: Record<string, string> = {}, of: TestWorkspace = workspace): ClientRequest {
  return sendRequest({ port, path: `/api/v1${of.url}${path}`, method, headers: { ...of.owner.headers, ...headers } });
}

async function receive(request: ClientRequest) {
  request.end();
  const [answer] = await once(request, 'response');
  const pieces: Buffer[] = [];
  for await (const piece of answer) pieces.push(piece);
  return { status: answer.statusCode, headers: answer.headers, bytes: Buffer.concat(pieces) };
}

test('it is offered for saving, compressed where that is taken, and never kept', async () => {
  const plain = await receive(ask('GET', '/export'));
  expect(plain).toMatchObject({ status: 200, headers: { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' } });
  expect(plain.headers['content-disposition']).toContain(`commonplace-${workspace.id}.jsonl`);
  expect(plain.headers.etag).toBeUndefined();
  const packed = await receive(ask('GET', '/export', { 'accept-encoding': 'gzip' }));
  expect(packed.headers['content-encoding']).toBe('gzip');
  expect(contentsOf(gunzipSync(packed.bytes).toString())).toEqual(contentsOf(plain.bytes.toString()));
  const head = await receive(ask('HEAD', '/export'));
  expect([head.status, head.bytes.length]).toEqual([200, 0]);
  await isIdle();
});

test('a failure on the way is noticed: the connection ends, and there is no footer', async () => {
  const query = vi.spyOn(api.db, 'query');
  onTestFinished(() => query.mockRestore());
  const request = ask('GET', '/export');
  request.end();
  const [answer] = await once(request, 'response');
  const received: Buffer[] = [];
  query.mockRejectedValue(new Error('the database is gone'));
  const reading = async () => {
    for await (const piece of answer) received.push(piece);
  };
  await expect(reading()).rejects.toThrow();
  expect(Buffer.concat(received).toString()).not.toContain('"footer"');
  await isIdle();
});

test('what hangs up in the middle of an import leaves nothing that is seen, and goes on when it is sent again', async () => {
  const target = await api.newWorkspace();
  const agent = agentLine();
  const [first, second] = [newId(), newId()];
  const messages = Array.from({ length: 1_500 }, (_, n) => messageLine(second, `Number ${n}`));
  const lines = [
    header(),
    agent,
    sessionLine(agent.data.id, first),
    messageLine(first, 'Hello'),
    sessionLine(agent.data.id, second),
    ...messages,
  ];
  const text = streamOf(lines);
  const request = ask('POST', '/import', LINES, target);
  request.on('error', () => {});
  request.write(text.slice(0, text.length - 200_000));
  await expect.poll(() => api.countRows('staged_sessions', target.id)).toBe(1);
  request.destroy();
  await isIdle();
  const sessionsOf = async () =>
    linesOf(await exportOf(target.owner, target)).flatMap(({ type, data }) => (type === 'session' ? [data.id] : []));
  expect(await sessionsOf()).toEqual([first]);
  expect((await importInto(target, text)).body).toMatchObject({
    counts: { agents: 0, sessions: 1, messages: 1_500 },
    skipped: 3,
    errors: [],
  });
  expect((await sessionsOf()).sort()).toEqual([first, second].sort());
});

test('an import may take longer than other requests, as long as it sends', async () => {
  const target = await api.newWorkspace();
  const connected = once(api.app.server.server, 'connection') as Promise<[Socket]>;
  const request = ask('POST', '/import', LINES, target);
  const text = streamOf([header(), agentLine()]);
  request.write(text.slice(0, 100));
  const [socket] = await connected;
  await expect.poll(() => api.app.api.limits.gauges()).toMatchObject({ in_flight: 1 });
  // As Node does after a minute, with whatever connection is still sending.
  const late = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
  api.app.server.server.emit('clientError', late, socket);
  request.end(text.slice(100));
  const [answer] = await once(request, 'response');
  expect(answer.statusCode).toBe(200);
  answer.resume();
  await once(answer, 'end');
});
