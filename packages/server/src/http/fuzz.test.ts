/** Ten thousand bad requests, spread over every declared route: never a 5xx, always the body that every failure has. */
import net, { type AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { openApi } from '../../test/api.ts';
import { type BadRequest, badRequestTo, brokenHttp, bytesOf, targetOf } from '../../test/matrix-bad-requests.ts';
import { bodyExamples, type FurnishedScene, newFurnishedScene } from '../../test/matrix-items.ts';
import { titleOf } from '../../test/matrix-paths.ts';
import type { DeclaredRoute } from './route.ts';

const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 10_000);
const OFF_THE_WIRE = Math.ceil(REQUESTS / 10);
/** The same in every run, so that a failure is the change’s; FUZZ_SEED=… looks elsewhere. */
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_115);

/** A request without an answer after this time is taken for one that is not complete. */
const WAITS_FOR_MORE_MS = 1_000;
const IS_ANSWERED_MS = 120_000;

const { api, close } = await openApi();
afterAll(close);
const routes = api.app.api.routes;
const examples = await bodyExamples(api);
const runsForEach = Math.ceil((REQUESTS - OFF_THE_WIRE) / routes.length);

let scene: FurnishedScene | undefined;
let browser: Record<string, string>;
let accessKey: Record<string, string>;

/** A scene that nothing has spoiled yet. */
async function currentScene(): Promise<FurnishedScene> {
  if (scene) return scene;
  scene = await newFurnishedScene(api, examples);
  browser = (await api.newBrowser(scene.people.owner)).headers;
  accessKey = (await api.newAccessKey(scene.workspace)).headers;
  return scene;
}

function credentialOf({ credential }: BadRequest, { people }: FurnishedScene): Record<string, string> {
  switch (credential) {
    case 'owner':
    case 'stranger':
      return people[credential].client.headers;
    case 'access key':
      return accessKey;
    case 'browser':
      return browser;
    case 'none':
      return {};
  }
}

/** What was deleted, and a credential that has ended, would leave nothing to try the next requests on. */
function hasSpoiled(route: DeclaredRoute, { credential, headers }: BadRequest, status: number): boolean {
  const cameWithGoodCredential = credential !== 'none' && !['x-api-key', 'x-access-key', 'cookie'].some((name) => name in headers);
  const wasShutOut = status === 401 && route.access.who !== 'public' && cameWithGoodCredential;
  return wasShutOut || (route.method === 'DELETE' && status < 300);
}

async function send(route: DeclaredRoute, request: BadRequest): Promise<void> {
  const place = await currentScene();
  const answer = await api.app.server.inject({
    method: route.method,
    url: targetOf(route, request, place.items),
    headers: { ...credentialOf(request, place), ...request.headers },
    ...(request.body && { payload: bytesOf(request.body) }),
  });
  const { statusCode, headers } = answer;
  if (hasSpoiled(route, request, statusCode)) scene = undefined;
  expect(statusCode, answer.body).toBeLessThan(500);
  expect(headers['x-request-id'], 'every answer has a request id').toMatch(/^[\w.:/+=-]{1,128}$/);
  if (statusCode < 400) {
    expect([200, 201, 202, 204, 304]).toContain(statusCode);
    return;
  }
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  const body = JSON.parse(answer.body);
  expect(body).toMatchObject({
    errorMessage: expect.stringMatching(/\S/),
    code: expect.stringMatching(/^[a-z_]+$/),
    requestId: headers['x-request-id'],
  });
}

describe('bad requests', () => {
  test.for(routes.map((route) => [titleOf(route), route] as const))('%s', async ([title, route]) => {
    const requests = badRequestTo(route, examples.get(title));
    await fc.assert(
      fc.asyncProperty(requests, (request) => send(route, request)),
      { numRuns: runsForEach, seed: SEED + routes.indexOf(route) },
    );
  });
});

describe('broken HTTP', () => {
  test(`${OFF_THE_WIRE} requests off the wire are answered in JSON or hung up on`, async () => {
    const port = await listen();
    const { people } = await currentScene();
    const key = people.owner.client.headers['x-api-key'] as string;
    const requests = fc.sample(brokenHttp, { numRuns: OFF_THE_WIRE, seed: SEED }).map((request) => request.replaceAll('KEY', key));
    const counts = { answered: 0, hungUpOn: 0 };
    await atOnce(16, requests, async (request) => {
      const answer = await exchange(port, request, WAITS_FOR_MORE_MS);
      const context = `seed ${SEED}: ${JSON.stringify(request.slice(0, 500))} got ${JSON.stringify(answer.slice(0, 500))}`;
      if (answer === '') {
        counts.hungUpOn++;
        return;
      }
      counts.answered++;
      for (const { status, body } of responsesIn(answer)) {
        expect(status, context).toBeLessThan(500);
        if (status >= 400) expect(errorMessageIn(body), context).toMatch(/\S/);
      }
    });
    expect(counts.answered).toBeGreaterThan(OFF_THE_WIRE / 2);
    expect((await api.anonymous.get('/_health')).status).toBe(200);
    expect(await exchange(port, 'GET /api/v1/_health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', IS_ANSWERED_MS)).toContain(
      '{"status":"ok"}',
    );
  });

  test.for([
    ['an unknown method', 'FOO /api/v1/me HTTP/1.1\r\nHost: x\r\n\r\n', '400 Bad Request'],
    ['a header with no name', 'GET /api/v1/me HTTP/1.1\r\nHost: x\r\n: x\r\n\r\n', '400 Bad Request'],
    ['no Host', 'GET /api/v1/me HTTP/1.1\r\nConnection: close\r\n\r\n', '400 Bad Request'],
    ['headers of 20 KB', `GET /api/v1/me HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, '431 Request Header Fields Too Large'],
    ['a path of 20 KB', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, '431 Request Header Fields Too Large'],
    ['two lengths', 'POST /api/v1/me HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', '400 Bad Request'],
    [
      'a length and chunks',
      'POST /api/v1/workspaces HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      '400 Bad Request',
    ],
    ['no HTTP at all', 'hello\r\n\r\n', '400 Bad Request'],
  ] as const)('%s is refused in JSON', async ([, request, status]) => {
    const answer = await exchange(await listen(), request, IS_ANSWERED_MS);
    expect(answer.split('\r\n')[0]).toBe(`HTTP/1.1 ${status}`);
    expect(errorMessageIn(responsesIn(answer)[0]?.body)).toMatch(/\S/);
    expect((await api.anonymous.get('/_health')).status).toBe(200);
  });
});

async function listen(): Promise<number> {
  const { server } = api.app;
  if (!server.server.listening) await server.listen({ host: '127.0.0.1', port: 0 });
  return (server.server.address() as AddressInfo).port;
}

/** Sends bytes and gives back whatever came until the server hung up, or until it is clear that it waits for more. */
function exchange(port: number, request: string, waitsForMoreMs: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write(request, 'latin1'));
    const received: Buffer[] = [];
    socket.setTimeout(waitsForMoreMs, () => socket.destroy());
    socket.on('data', (bytes: Buffer) => received.push(bytes));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(Buffer.concat(received).toString('latin1')));
  });
}

/** What came is one response or, where a request smuggled another, several. */
function responsesIn(answer: string): { status: number; body: string }[] {
  const responses: { status: number; body: string }[] = [];
  for (let rest = answer; rest !== ''; ) {
    const [head, status] = /^HTTP\/1\.1 (\d{3}) [\s\S]*?\r\n\r\n/.exec(rest) ?? [];
    if (head === undefined) throw new Error(`No HTTP: ${JSON.stringify(rest.slice(0, 200))}`);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (Number(status) >= 200) responses.push({ status: Number(status), body: rest.slice(head.length, head.length + length) });
    rest = rest.slice(head.length + length);
  }
  return responses;
}

function errorMessageIn(body: string | undefined): string {
  return body ? String(JSON.parse(body).errorMessage) : '';
}

async function atOnce<T>(count: number, items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  await Promise.all(
    Array.from({ length: count }, async () => {
      for (const item of rest) await work(item);
    }),
  );
}
