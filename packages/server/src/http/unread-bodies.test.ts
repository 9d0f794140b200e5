/** Whatever is answered before its body was read: the client sees the answer, and the connection works or is closed with notice. */
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { openApi } from '../../test/api.ts';
import { bodyExamples, type FurnishedScene, newFurnishedScene } from '../../test/matrix-items.ts';
import { pathOf, titleOf } from '../../test/matrix-paths.ts';
import { RawConnection } from '../../test/raw-connection.ts';
import type { DeclaredRoute } from './route.ts';

const MEBIBYTE = 1024 * 1024;
const TIMEOUT_MS = 60_000;
const { api, close } = await openApi({ COMMONPLACE_RATE_LIMIT: 'off' });
afterAll(close);
const routes = api.app.api.routes;
await api.app.server.listen({ host: '127.0.0.1', port: 0 });
const { port } = api.app.server.server.address() as AddressInfo;
const scene: FurnishedScene = await newFurnishedScene(api, await bodyExamples(api));

interface Sent {
  readonly type: string;
  readonly bytes: number;
  readonly chunked?: true;
}

/** What careless and hostile clients send. */
const bodies: Readonly<Record<string, Sent>> = {
  'a form without a boundary': { type: 'multipart/form-data', bytes: 200_000 },
  'a form of nothing': { type: 'multipart/form-data; boundary=x', bytes: 200_000 },
  'another type': { type: 'text/csv', bytes: 200_000 },
  'no JSON': { type: 'application/json', bytes: 60_000 },
  'much JSON': { type: 'application/json', bytes: 11 * MEBIBYTE },
  'JSON in chunks': { type: 'application/json', bytes: 200_000, chunked: true },
};

function headOf(route: Pick<DeclaredRoute, 'method' | 'path'>, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${route.method} /api/v1${pathOf(route, scene.items)} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

/** Sends all of it before it reads, as many clients do. */
async function send(
  connection: RawConnection,
  route: DeclaredRoute,
  { type, bytes, chunked }: Sent,
  credential: Record<string, string>,
): Promise<void> {
  const framing = chunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(bytes) };
  await connection.write(headOf(route, { ...credential, 'content-type': type, ...framing }));
  const piece = Buffer.alloc(65_536, '[');
  for (let sent = 0; sent < bytes; sent += piece.length) {
    const some = piece.subarray(0, Math.min(piece.length, bytes - sent));
    if (chunked) await connection.write(`${some.length.toString(16)}\r\n`);
    await connection.write(some);
    if (chunked) await connection.write('\r\n');
  }
  if (chunked) await connection.write('0\r\n\r\n');
}

/** The next request is answered, or the connection was closed as it was told. */
async function expectUsable(connection: RawConnection, headers: Readonly<Record<string, string>>): Promise<void> {
  if (headers.connection === 'close') {
    await connection.ended();
  } else {
    await connection.write(headOf({ method: 'GET', path: '/_health' }, {}));
    expect(await connection.answer()).toMatchObject({ status: 200, body: '{"status":"ok"}' });
  }
}

describe('every route', () => {
  test.for(routes.map((route) => [titleOf(route), route] as const))('%s', { timeout: TIMEOUT_MS }, async ([, route]) => {
    const callers = [{}, scene.people.owner.client.headers];
    for (const [name, body] of Object.entries(bodies)) {
      // A deletion would take away what the other routes are tried on.
      for (const credential of route.method === 'DELETE' ? [{}] : callers) {
        const connection = await RawConnection.open(port);
        await send(connection, route, body, credential);
        const { status, headers, body: text } = await connection.answer();
        expect([name, status < 500], text).toEqual([name, true]);
        if (status >= 400) expect(JSON.parse(text).errorMessage).toMatch(/\S/);
        await expectUsable(connection, headers);
        connection.close();
      }
    }
  });
});

describe('a body that is far too large', () => {
  const route = routes.find(({ name }) => name === 'createMessages') as DeclaredRoute;
  const credential = scene.people.owner.client.headers;

  test('of 11 MB is answered with 413, and the connection goes on', async () => {
    const connection = await RawConnection.open(port);
    await send(connection, route, { type: 'application/json', bytes: 11 * MEBIBYTE }, credential);
    const { status, headers, body } = await connection.answer();
    expect([status, JSON.parse(body).errorMessage]).toEqual([413, 'Body must not exceed 10 MiB']);
    expect(headers.connection).not.toBe('close');
    await expectUsable(connection, headers);
    connection.close();
  });

  test.for([
    ['announced', { type: 'application/json', bytes: 40 * MEBIBYTE }],
    ['in chunks', { type: 'application/json', bytes: 40 * MEBIBYTE, chunked: true }],
    ['as a file', { type: 'multipart/form-data; boundary=x', bytes: 40 * MEBIBYTE, chunked: true }],
  ] as const)('of 40 MB, %s, is answered and closed with notice', { timeout: TIMEOUT_MS }, async ([, body]) => {
    const connection = await RawConnection.open(port);
    await send(connection, route, body, credential);
    const { status, headers } = await connection.answer();
    expect([[413, 415].includes(status), headers.connection]).toEqual([true, 'close']);
    await connection.ended();
  });

  test('that never comes is answered all the same', async () => {
    const connection = await RawConnection.open(port);
    await connection.write(headOf(route, { ...credential, 'content-type': 'application/json', 'content-length': String(50 * MEBIBYTE) }));
    expect(await connection.answer()).toMatchObject({ status: 413, headers: { connection: 'close' } });
    connection.close();
  });

  test('what follows on a connection that was told to close is not carried out', async () => {
    const { body: before } = await scene.workspace.owner.get('/workspaces');
    const connection = await RawConnection.open(port);
    await connection.write(headOf(route, { ...credential, 'content-type': 'application/json', 'transfer-encoding': 'chunked' }));
    const piece = `100000\r\n${'['.repeat(MEBIBYTE)}\r\n`;
    for (let sent = 0; sent < 11; sent++) await connection.write(piece);
    const create = headOf(
      { method: 'POST', path: '/workspaces' },
      { ...credential, 'content-type': 'application/json', 'content-length': '16' },
    );
    connection.push(`0\r\n\r\n${create}{"name":"Missed"}`);
    expect(await connection.answer()).toMatchObject({ status: 413, headers: { connection: 'close' } });
    await connection.ended();
    connection.close();
    expect((await scene.workspace.owner.get('/workspaces')).body._meta.total).toBe(before._meta.total);
  });
});

describe('an upload', () => {
  const route = routes.find(({ upload }) => upload) as DeclaredRoute;
  const credential = scene.people.owner.client.headers;
  const form = (content: string) =>
    `--x\r\nContent-Disposition: form-data; name="title"\r\n\r\nA title\r\n--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n${content}\r\n--x--\r\n`;
  const send = async (bytes: string) => {
    const connection = await RawConnection.open(port);
    const head = { 'content-type': 'multipart/form-data; boundary=x', 'content-length': String(bytes.length) };
    await connection.write(headOf(route, { ...credential, ...head }));
    await connection.write(bytes);
    return { connection, answer: await connection.answer() };
  };

  test.for([2 * MEBIBYTE + 1, 9 * MEBIBYTE, 40 * MEBIBYTE])(
    'of %i bytes is 400 as any file that is too large',
    { timeout: TIMEOUT_MS },
    async (size) => {
      const { connection, answer } = await send(form('x'.repeat(size)));
      expect([answer.status, JSON.parse(answer.body).errorMessage]).toEqual([400, 'File must not exceed 2 MB']);
      await expectUsable(connection, answer.headers);
      connection.close();
    },
  );

  test('of just 2 MB is taken, and so is what follows on the connection', async () => {
    const { connection, answer } = await send(form('x'.repeat(2 * MEBIBYTE)));
    expect(answer.status).toBe(201);
    await expectUsable(connection, answer.headers);
    connection.close();
  });

  test('with a field that is too long, or with too many labels, is 400 and names the field', async () => {
    const field = (name: string, value: string) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const file = form('some text');
    const cases = [
      [field('labels', 'x'.repeat(64_001)), 'Labels must not exceed 64000 characters'],
      [field('labels', 'x'.repeat(300_000)), 'Labels must not exceed 64000 characters'],
      [field('labels', JSON.stringify(Array(10_000).fill('x'))), 'Labels must not have more than 100 items'],
      [field('labels', JSON.stringify(Array(10_000).fill(1))), 'Labels must not have more than 100 items'],
      [field('labels', ','.repeat(60_000)), 'Labels must not have more than 100 items'],
      [field('labels', '['.repeat(60_000)), 'Labels must be a JSON array of strings, or values separated by commas or semicolons'],
    ] as const;
    for (const [labels, message] of cases) {
      const { connection, answer } = await send(labels + file);
      expect([answer.status, JSON.parse(answer.body).errorMessage]).toEqual([400, message]);
      await expectUsable(connection, answer.headers);
      connection.close();
    }
  });
});

test('a connection with many early answers holds no more than one with a single one, and is closed as any other', async () => {
  const sockets: Socket[] = [];
  const onConnection = (socket: Socket) => sockets.push(socket);
  api.app.server.server.on('connection', onConnection);
  onTestFinished(() => void api.app.server.server.off('connection', onConnection));
  const connection = await RawConnection.open(port);
  const head = headOf({ method: 'POST', path: '/workspaces' }, { 'content-type': 'application/json', 'content-length': '2' });
  const waysToEnd = new Set<unknown>();
  for (let answers = 0; answers < 50; answers++) {
    await connection.write(head);
    expect((await connection.answer()).status).toBe(401);
    waysToEnd.add(sockets[0]?.destroySoon);
    await connection.write('{}');
  }
  expect(waysToEnd.size).toBe(1);
  await connection.write('GET /api/v1/_health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
  expect((await connection.answer()).status).toBe(200);
  await connection.ended();
});
