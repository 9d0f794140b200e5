import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { AddressRules } from './addresses.ts';
import { type Sender, type Sent, send } from './sending.ts';

const open: (Server | TcpServer)[] = [];
afterEach(() => {
  for (const server of open.splice(0)) {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  }
});

async function listen(server: Server | TcpServer): Promise<number> {
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const serve = (listener: RequestListener) => listen(createServer(listener));

const loopback = new AddressRules(['127.0.0.1']);
const strict = new AddressRules([]);

function senderFor({
  rules = loopback,
  addresses = ['127.0.0.1'],
  timeLimitMs = 10_000,
}: Partial<Sender> & { addresses?: string[] }): Sender {
  return { rules, timeLimitMs, resolve: async () => addresses };
}

const post = (url: string): Sent => ({
  url,
  headers: { 'content-type': 'application/json', 'webhook-id': 'an-id' },
  body: '{"text":"Grüße"}',
});

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

describe('an exchange', () => {
  test('is a POST of the body with its headers, and a 2xx is taken', async () => {
    const seen: unknown[] = [];
    const port = await serve(async (request, response) => {
      const { 'content-type': type, 'webhook-id': id, host } = request.headers;
      seen.push({ method: request.method, url: request.url, type, id, host, body: await bodyOf(request) });
      response.writeHead(202).end('thanks');
    });
    const outcome = await send(senderFor({}), post(`http://receiver.test:${port}/hook?key=1`));
    expect(outcome).toEqual({ status: 202, answer: 'thanks', error: null });
    expect(seen).toEqual([
      {
        method: 'POST',
        url: '/hook?key=1',
        type: 'application/json',
        id: 'an-id',
        host: `receiver.test:${port}`,
        body: '{"text":"Grüße"}',
      },
    ]);
  });

  test.each([400, 404, 410, 429, 500, 503])('%i is a failure that shows the answer', async (status) => {
    const port = await serve((_, response) => response.writeHead(status).end('no'));
    expect(await send(senderFor({}), post(`http://receiver.test:${port}/`))).toEqual({
      status,
      answer: 'no',
      error: `The answer was ${status}`,
    });
  });

  test.each([301, 302, 303, 307, 308])('a redirect by %i is not followed', async (status) => {
    let asked = 0;
    const target = await serve((_, response) => {
      asked++;
      response.end();
    });
    const port = await serve((_, response) => response.writeHead(status, { location: `http://127.0.0.1:${target}/` }).end());
    const { error } = await send(senderFor({}), post(`http://receiver.test:${port}/`));
    expect(error).toBe(`The answer was a redirect (${status}), which is not followed`);
    expect(asked).toBe(0);
  });

  test('of a long answer the beginning is kept, and the rest is not waited for', async () => {
    const port = await serve((_, response) => {
      response.writeHead(200);
      const more = () => {
        while (!response.destroyed && response.write('ü'.repeat(5_000)));
      };
      response.on('drain', more);
      more();
    });
    const { error, answer } = await send(senderFor({}), post(`http://receiver.test:${port}/`));
    expect(error).toBeNull();
    expect(answer).toBe('ü'.repeat(500));
  });

  test('what is no text is shown as something that can be stored', async () => {
    const port = await serve((_, response) => response.end(Buffer.from([0x61, 0x00, 0x1b, 0xff, 0xfe, 0x0a, 0x62])));
    const { answer } = await send(senderFor({}), post(`http://receiver.test:${port}/`));
    expect(answer).toBe('a\ufffd\ufffd\ufffd\ufffd\nb');
  });

  test.each<[string, (port: number) => Promise<number>, string]>([
    ['no answer', () => serve(() => undefined), 'There was no answer within 0.2 seconds'],
    [
      'an answer that does not end',
      () => serve((_, response) => response.writeHead(200).write('x')),
      'There was no answer within 0.2 seconds',
    ],
    ['a closed connection', () => serve((request) => request.socket.destroy()), 'The connection was closed before there was an answer'],
    ['something else than HTTP', () => listen(createTcpServer((socket) => socket.end('hello\r\n\r\n'))), 'The answer is not HTTP'],
  ])('%s is a failure', async (_name, start, message) => {
    const port = await start(0);
    const { status, error } = await send(senderFor({ timeLimitMs: 200 }), post(`http://receiver.test:${port}/`));
    expect(status).toBeNull();
    expect(error).toContain(message);
  });

  test('a port where nobody listens refuses', async () => {
    const port = await serve(() => undefined);
    await new Promise((resolve) => open.splice(0)[0]?.close(resolve));
    expect((await send(senderFor({}), post(`http://receiver.test:${port}/`))).error).toBe('The connection was refused');
  });

  test('a name that takes too long to look up is given up', async () => {
    const sender: Sender = { rules: loopback, timeLimitMs: 50, resolve: () => new Promise(() => undefined) };
    expect((await send(sender, post('http://slow.test/'))).error).toBe('There was no answer within 0.05 seconds');
  });

  test('TLS where there is none is a failure', async () => {
    const port = await serve((_, response) => response.end());
    expect((await send(senderFor({}), post(`https://receiver.test:${port}/`))).error).not.toBeNull();
  });

  test('proxies of the environment are not asked', async () => {
    const before = { ...process.env };
    Object.assign(process.env, { HTTP_PROXY: 'http://127.0.0.1:1', http_proxy: 'http://127.0.0.1:1', NODE_USE_ENV_PROXY: '1' });
    try {
      const port = await serve((_, response) => response.end('direct'));
      expect((await send(senderFor({}), post(`http://receiver.test:${port}/`))).answer).toBe('direct');
    } finally {
      for (const name of ['HTTP_PROXY', 'http_proxy', 'NODE_USE_ENV_PROXY']) delete process.env[name];
      Object.assign(process.env, before);
    }
  });
});

describe('private addresses', () => {
  const message = 'The address is private, and webhooks are not sent to it';

  test.each([
    ['127.0.0.1'],
    ['10.0.0.5'],
    ['169.254.169.254'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['64:ff9b::7f00:1'],
    ['2002:7f00:1::1'],
    ['fd00::1'],
    ['0.0.0.0'],
  ])('a name that stands for %s is not called', async (address) => {
    const outcome = await send(senderFor({ rules: strict, addresses: [address] }), post('http://innocent.test/'));
    expect(outcome).toEqual({ status: null, answer: '', error: message });
  });

  test.each([
    'http://127.0.0.1',
    'http://127.1',
    'http://2130706433',
    'http://0x7f.1',
    'http://0177.0.0.1',
    'http://[::ffff:127.0.0.1]',
    'http://0',
  ])('%s reaches nobody, though somebody listens', async (origin) => {
    let asked = 0;
    const port = await serve((_, response) => {
      asked++;
      response.end();
    });
    // As the real one does with what is an address already.
    const sender: Sender = { rules: strict, timeLimitMs: 10_000, resolve: async (host) => [host] };
    expect((await send(sender, post(`${origin}:${port}/`))).error).toBe(message);
    expect(asked).toBe(0);
  });

  test('of several addresses those that are private are left out', async () => {
    const port = await serve((_, response) => response.end('reached'));
    const mixed = senderFor({ addresses: ['10.0.0.1', '192.168.1.1', '::1', '127.0.0.1'] });
    expect((await send(mixed, post(`http://mixed.test:${port}/`))).answer).toBe('reached');
  });

  test('a name is looked up once for a try: what it stands for a moment later is not connected to', async () => {
    let asked = 0;
    const port = await serve((_, response) => {
      asked++;
      response.end();
    });
    // First one that may be called, where nobody is; then one that may not, where somebody is.
    const answers = [['127.0.0.2'], ['127.0.0.1'], ['127.0.0.1']];
    let lookUps = 0;
    const sender: Sender = { rules: new AddressRules(['127.0.0.2']), timeLimitMs: 10_000, resolve: async () => answers[lookUps++] ?? [] };
    const first = await send(sender, post(`http://rebinding.test:${port}/`));
    expect(first.error).toBe('The connection was refused');
    expect(lookUps).toBe(1);
    expect((await send(sender, post(`http://rebinding.test:${port}/`))).error).toBe(message);
    expect(lookUps).toBe(2);
    expect(asked).toBe(0);
  });

  test('the address that was connected to is checked too, before anything is said', async () => {
    const heard: Buffer[] = [];
    const port = await listen(
      createTcpServer((socket) => socket.on('data', (data) => heard.push(Buffer.from(data))).on('error', () => undefined)),
    );
    // Permits what the name stands for, and nothing of what the connection says of itself.
    let checks = 0;
    const fickle = Object.assign(new AddressRules(['127.0.0.1']), { permits: () => checks++ === 0 });
    const { error } = await send(senderFor({ rules: fickle }), post(`http://receiver.test:${port}/`));
    expect(error).toBe(message);
    expect(checks).toBe(2);
    expect(heard).toEqual([]);
  });
});
