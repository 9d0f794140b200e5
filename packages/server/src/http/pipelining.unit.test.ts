import { once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createPipeliningServer, MAX_OF_CONNECTION } from './pipelining.ts';

async function serve(handle: RequestListener): Promise<Socket> {
  const server = createPipeliningServer({}, handle);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
    server.close();
  });
  await once(socket, 'connect');
  return socket;
}

const get = (index: number) => `GET /${index} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
const gets = (count: number) => Array.from({ length: count }, (_, index) => get(index)).join('');

/** The bodies of the answers as they come, until there are so many. */
async function answersOn(socket: Socket, count: number): Promise<string[]> {
  let text = '';
  const bodies = () => [...text.matchAll(/<([^>]*)>/g)].map((match) => match[1] as string);
  for await (const chunk of socket) {
    text += chunk;
    if (bodies().length >= count) break;
  }
  return bodies();
}

test('so many requests of a connection are worked on, and the next begins when one is answered', async () => {
  const begun: { url: string | undefined; response: ServerResponse }[] = [];
  const socket = await serve((request, response) => begun.push({ url: request.url, response }));
  socket.write(gets(100));
  await expect.poll(() => begun.length).toBe(MAX_OF_CONNECTION);
  for (let index = 0; index < 100; index++) {
    await expect.poll(() => begun.length).toBe(Math.min(100, MAX_OF_CONNECTION + index));
    begun[index]?.response.end(`<${index}>`);
  }
  expect(await answersOn(socket, 100)).toEqual(Array.from({ length: 100 }, (_, index) => String(index)));
  expect(begun.map(({ url }) => url)).toEqual(Array.from({ length: 100 }, (_, index) => `/${index}`));
});

test('no more is read of a connection while its requests wait', async () => {
  let served: IncomingMessage | undefined;
  const waiting: ServerResponse[] = [];
  const socket = await serve((request, response) => {
    served = request;
    waiting.push(response);
  });
  const sent = gets(200_000);
  socket.write(sent);
  await expect.poll(() => waiting.length).toBe(MAX_OF_CONNECTION);
  // Until the buffers between the two are full, and nothing moves any more.
  let read = 0;
  const hasStopped = () => {
    const before = read;
    read = served?.socket.bytesRead ?? 0;
    return read > 0 && read === before;
  };
  await expect.poll(hasStopped, { interval: 100 }).toBe(true);
  expect(waiting).toHaveLength(MAX_OF_CONNECTION);
  expect(read).toBeLessThan(sent.length / 10);
});

test('thousands at once are all answered, in their order', async () => {
  let underWay = 0;
  let most = 0;
  const socket = await serve((request, response) => {
    most = Math.max(most, ++underWay);
    setImmediate(() => {
      underWay--;
      response.end(`<${request.url?.slice(1)}>`);
    });
  });
  socket.write(gets(5_000));
  expect(await answersOn(socket, 5_000)).toEqual(Array.from({ length: 5_000 }, (_, index) => String(index)));
  expect(most).toBeLessThanOrEqual(MAX_OF_CONNECTION);
});

test('bodies arrive whole, also of those that had to wait', async () => {
  const socket = await serve(async (request, response) => {
    let size = 0;
    for await (const chunk of request) size += chunk.length;
    setImmediate(() => response.end(`<${size}>`));
  });
  for (let index = 0; index < 100; index++) {
    const body = 'x'.repeat(index * 2_000);
    socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  }
  expect(await answersOn(socket, 100)).toEqual(Array.from({ length: 100 }, (_, index) => String(index * 2_000)));
});

test('a connection that hung up is let go of, whatever it had asked for', async () => {
  const begun: ServerResponse[] = [];
  const socket = await serve((_request, response) => begun.push(response));
  socket.write(gets(1_000));
  await expect.poll(() => begun.length).toBe(MAX_OF_CONNECTION);
  socket.destroy();
  await expect
    .poll(() => {
      for (const response of begun) if (!response.writableEnded) response.end('x'.repeat(10_000));
      return begun.every(({ closed }) => closed);
    })
    .toBe(true);
});

test('an answer is whole, and the last one, where its request expects to be told to go on and waits behind another', async () => {
  const waiting: ServerResponse[] = [];
  const socket = await serve((_, response) => waiting.push(response));
  const expecting = 'GET /1 HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n\r\n';
  socket.write(get(0) + expecting + get(2));
  await expect.poll(() => waiting.length).toBe(3);
  for (const [index, response] of waiting.entries()) response.setHeader('Content-Length', 3).end(Buffer.from(`<${index}>`));
  let text = '';
  for await (const chunk of socket) text += chunk;
  expect([...text.matchAll(/\r\n\r\n(.{3})/gs)].map((match) => match[1])).toEqual(['<0>', '<1>']);
  expect(text.match(/Connection: [\w-]+/g)).toEqual(['Connection: keep-alive', 'Connection: close']);
});

test('who is first is told to go on', async () => {
  const socket = await serve((request, response) => request.resume().on('end', () => response.end('<0>')));
  socket.write('POST /0 HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n');
  const [first] = await once(socket, 'data');
  expect(String(first)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  socket.write('x');
  expect(await answersOn(socket, 1)).toEqual(['0']);
});
