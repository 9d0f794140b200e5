import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { type Post, serveStdio } from './stdio.ts';

const ping = (id: number | string) => ({ jsonrpc: '2.0', id, method: 'ping' });

/** Runs to the end of these lines; what was written, parsed. */
async function answersTo(lines: readonly (string | object)[], post: Post) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let written = '';
  output.on('data', (chunk: Buffer) => {
    written += chunk.toString();
  });
  input.end(lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
  await serveStdio(input, output, post);
  return written
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

const echo: Post = async (message) => {
  const { id } = JSON.parse(message) as { id?: unknown };
  return id === undefined ? { status: 202, text: '' } : { status: 200, text: JSON.stringify({ jsonrpc: '2.0', id, result: {} }) };
};

test('each message is answered by a line, and a notification by none', async () => {
  const notification = { jsonrpc: '2.0', method: 'notifications/initialized' };
  const answers = await answersTo([ping(1), '', notification, ping('two')], echo);
  expect(answers.map(({ id }) => id)).toEqual([1, 'two']);
  expect(await answersTo([notification], async () => ({ status: 401, text: '{"jsonrpc":"2.0","id":null,"error":{}}' }))).toEqual([]);
});

test('an answer with line breaks is one line', async () => {
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, result: {} }, null, 2);
  expect(await answersTo([ping(1)], async () => ({ status: 200, text }))).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
});

test('a line that is no JSON, no object or too long does not end it', async () => {
  const answers = await answersTo(['nonsense', 'null', '7', `"${'x'.repeat(13 * 1024 * 1024)}"`, ping(1)], echo);
  expect(answers.map(({ id, error }) => [id, error?.code])).toEqual([
    [null, -32700],
    [null, -32600],
    [null, -32600],
    [null, -32600],
    [1, undefined],
  ]);
});

test('a refusal before the message was read is told to the message', async () => {
  const refusal = { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'Invalid access key.' } };
  expect(await answersTo([ping(7)], async () => ({ status: 401, text: JSON.stringify(refusal) }))).toEqual([{ ...refusal, id: 7 }]);
});

test('an answer of somebody else, and none at all, are failures that say so', async () => {
  const [html] = await answersTo([ping(1)], async () => ({ status: 502, text: '<html>' }));
  expect(html).toMatchObject({ id: 1, error: { message: expect.stringContaining('status 502') } });
  const [none] = await answersTo([ping(2)], async () => {
    throw new Error('No answer from http://127.0.0.1:1/mcp');
  });
  expect(none).toMatchObject({ id: 2, error: { code: -32603, message: 'No answer from http://127.0.0.1:1/mcp' } });
});

test('what the protocol wants in headers is taken from the message', async () => {
  const seen: Record<string, string>[] = [];
  const post: Post = async (message, headers) => {
    seen.push({ ...headers });
    const { id, method } = JSON.parse(message) as { id: number; method: string };
    const result = method === 'initialize' ? { protocolVersion: '2025-11-25' } : {};
    return { status: 200, text: JSON.stringify({ jsonrpc: '2.0', id, result }) };
  };
  const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
  await answersTo(
    [
      { ...ping(1), method: 'initialize', params: { protocolVersion: '2025-11-25' } },
      ping(2),
      { ...ping(3), method: 'tools/call', params: { name: 'add_memory', _meta: meta } },
      { ...ping(4), method: 'prompts/get', params: { name: 'grüße' } },
      { ...ping(5), method: 'resources/read', params: { uri: 'commonplace://documents/1' } },
      { ...ping(6), method: 'bad\r\nx-access-key: y' },
    ],
    post,
  );
  expect(seen).toEqual([
    { 'mcp-method': 'initialize' },
    { 'mcp-protocol-version': '2025-11-25', 'mcp-method': 'ping' },
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'add_memory' },
    { 'mcp-protocol-version': '2025-11-25', 'mcp-method': 'prompts/get', 'mcp-name': '=?base64?Z3LDvMOfZQ==?=' },
    { 'mcp-protocol-version': '2025-11-25', 'mcp-method': 'resources/read', 'mcp-name': 'commonplace://documents/1' },
    { 'mcp-protocol-version': '2025-11-25', 'mcp-method': expect.stringMatching(/^=\?base64\?[\w+/=]+\?=$/) },
  ]);
});

test('only so many are under way at once, and all are answered before it ends', async () => {
  let [now, most] = [0, 0];
  const slow: Post = async (message, headers) => {
    most = Math.max(most, ++now);
    await new Promise((resolve) => setImmediate(resolve));
    now--;
    return echo(message, headers);
  };
  const answers = await answersTo(
    Array.from({ length: 200 }, (_, id) => ping(id)),
    slow,
  );
  expect(new Set(answers.map(({ id }) => id)).size).toBe(200);
  expect(most).toBe(16);
});
