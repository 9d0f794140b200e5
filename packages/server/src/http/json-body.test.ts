/** JSON as it arrives: how it is encoded, how deep it may be and how much it may hold, what its keys may be called, how large its parts may get. */
import { describe, expect } from 'vitest';
import { type Answer, refusal, test } from '../../test/api.ts';
import { sql } from '../db/sql.ts';
import { parseJsonBody } from './json-body.ts';

const json = { 'content-type': 'application/json' };
const nested = (levels: number, [open, close] = ['[', ']']) => (open as string).repeat(levels) + (close as string).repeat(levels);
const objects = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;

describe('depth', () => {
  test('100 levels are taken, 101 are 400', async ({ api }) => {
    const { client } = await api.newUser();
    const send = (levels: number) => client.send('POST', '/workspaces', `{"name":"abc","x":${nested(levels - 1)}}`, json);
    expect((await send(100)).status).toBe(201);
    for (const levels of [101, 1000, 20_000]) {
      expect(await send(levels)).toMatchObject({
        status: 400,
        body: { errorMessage: 'Body must not be nested deeper than 100 levels', code: 'bad_request' },
      });
    }
  });

  test('brackets within a string are no levels, whatever stands before its quotes', async ({ api }) => {
    const { client } = await api.newUser();
    const texts = ['['.repeat(500), `\\"${'['.repeat(500)}`, `\\\\\\"${'{'.repeat(500)}`, '\\\\'];
    for (const text of texts) {
      expect((await client.send('POST', '/workspaces', `{"x":"${text}","name":"abc"}`, json)).status, text.slice(0, 9)).toBe(201);
    }
    // A string that ends before its brackets, by two backslashes.
    expect((await client.send('POST', '/workspaces', `{"x":"\\\\","y":${nested(101)},"name":"abc"}`, json)).body.errorMessage).toMatch(
      /deeper/,
    );
  });

  test('it costs no more than reading the text, and the same request is refused with an idempotency key', async ({ api }) => {
    const { runtime, url } = await api.newSession();
    const deep = `{"role":"user","content":"x","meta":${objects(300_000)}}`;
    const before = process.threadCpuUsage();
    const answer = await runtime.send('POST', `${url}/messages`, deep, { ...json, 'idempotency-key': 'deep' });
    const { user } = process.threadCpuUsage(before);
    expect(answer).toMatchObject({ status: 400, body: { errorMessage: 'Body must not be nested deeper than 100 levels' } });
    expect(user / 1000).toBeLessThan(2_000);
  });

  test.for(['meta', 'config'])('a string of JSON in %s has its own 100 levels', async (field, { api }) => {
    const prompt = await api.newPrompt();
    const send = (levels: number) =>
      prompt.runtime.post(`${prompt.url}/versions`, { type: 'text', content: 'x', [field]: objects(levels) });
    expect((await send(100)).status).toBe(201);
    const label = field === 'meta' ? 'Meta' : 'Config';
    expect(await send(101)).toEqual(refusal(400, `${label} must not be nested deeper than 100 levels`, field));
  });
});

describe('how much it holds', () => {
  const keys = (count: number) => `{${Array.from({ length: count }, (_, index) => `"${index}":0`).join(',')}}`;
  const zeros = (count: number) => `[${Array(count).fill(0).join(',')}]`;
  const empties = (count: number) => `[${Array(count).fill('{ }').join(',')}]`;

  test('200,000 values and 20,000 keys are taken, one more is 400', async ({ api }) => {
    const { runtime, url } = await api.newSession();
    const send = (x: string) => runtime.send('POST', `${url}/messages`, `{"role":"user","content":"[{,:","x":${x}}`, json);
    // The body, its three fields, and what is in the last of them; three keys.
    for (const x of [zeros(199_996), empties(199_996), keys(19_997)]) expect((await send(x)).status).toBe(201);
    for (const x of [zeros(199_997), empties(199_997)])
      expect(await send(x)).toMatchObject({ status: 400, body: { errorMessage: 'Body must not have more than 200,000 values' } });
    expect(await send(keys(19_998))).toMatchObject({
      status: 400,
      body: { errorMessage: 'Body must not have more than 20,000 keys', code: 'bad_request' },
    });
  });

  test.for(['meta', 'config'])('%s has at most 5,000 values and 1,000 keys, as JSON and as a string of it', async (field, { api }) => {
    const prompt = await api.newPrompt();
    const label = field === 'meta' ? 'Meta' : 'Config';
    for (const form of [(text: string) => text, (text: string) => JSON.stringify(text)]) {
      const send = (text: string) =>
        prompt.runtime.send('POST', `${prompt.url}/versions`, `{"type":"text","content":"x","${field}":${form(text)}}`, json);
      for (const taken of [`{"a":${zeros(4_998)}}`, keys(1_000)]) expect((await send(taken)).status).toBe(201);
      expect(await send(`{"a":${zeros(4_999)}}`)).toEqual(refusal(400, `${label} must not have more than 5,000 values`, field));
      expect(await send(keys(1_001))).toEqual(refusal(400, `${label} must not have more than 1,000 keys`, field));
    }
  });

  const LARGEST = 10 * 1024 * 1024;
  const filled = (open: string, part: string, close = '') =>
    open + part.repeat((LARGEST - open.length - close.length) / part.length) + close;
  test.for([
    ['[[[', filled('', '['), /deeper/],
    ['{},{},', filled('{"x":[{}', ',{}', ']}'), /values/],
    ['"a":1,', filled('{', '"a":1,'), /keys/],
    ['""""', filled('', '""'), /not valid JSON/],
    ['[ ][ ]', filled('', '[ ]'), /not valid JSON/],
    ['a string', filled('{"x":"', 'x', '"}'), undefined],
    ['escaped quotes', filled('{"x":"', '\\"', '"}'), undefined],
    ['white space', filled('[', ' ', ']'), undefined],
    ['long keys', `{${Array.from({ length: 20_000 }, (_, index) => `"${`${index}`.padEnd(515, 'k')}":1`).join(',')}}`, undefined],
    ['many values', `{"x":${empties(199_997)},"y":"${'y'.repeat(LARGEST - 800_100)}"}`, undefined],
  ] as const)('10 MiB of %s keep the main thread for a moment', { timeout: 30_000 }, ([, text, refused]) => {
    const body = Buffer.from(text);
    let leastMs = Number.POSITIVE_INFINITY;
    // A service is warm: the first rounds are the compiler's.
    for (let round = 0; round < 3; round++) {
      const before = process.threadCpuUsage();
      let message: string | undefined;
      parseJsonBody(undefined as never, body, (error) => {
        message = error?.message;
      });
      const { user, system } = process.threadCpuUsage(before);
      leastMs = Math.min(leastMs, (user + system) / 1000);
      if (refused) expect(message).toMatch(refused);
      else expect(message).toBeUndefined();
    }
    expect(leastMs).toBeLessThan(1_000);
  });
});

describe('how it is encoded', () => {
  test('a body that is not UTF-8 is 400, and nothing is kept of it', async ({ api }) => {
    const { client } = await api.newUser();
    for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0xaf]]) {
      const body = Buffer.concat([Buffer.from('{"name":"abc'), Buffer.from(bytes), Buffer.from('"}')]);
      expect(await client.send('POST', '/workspaces', body, json)).toMatchObject({
        status: 400,
        body: { errorMessage: 'Body must be valid UTF-8', code: 'bad_request' },
      });
    }
    expect((await client.get('/workspaces')).body._meta.total).toBe(0);
    expect((await client.send('POST', '/workspaces', Buffer.from('\u{feff}{"name":"日本語"}'), json)).body.name).toBe('日本語');
  });

  test('another charset and a compressed body are 415', async ({ api }) => {
    const { client } = await api.newUser();
    const send = (headers: Record<string, string>, body: string | undefined = '{"name":"abc"}') =>
      client.send('POST', '/workspaces', body, { ...json, ...headers });
    for (const charset of ['utf-8', 'UTF-8', '"Utf-8"', 'utf8'])
      expect((await send({ 'content-type': `application/json;Charset=${charset}` })).status, charset).toBe(201);
    for (const charset of ['iso-8859-1', 'utf-16', '"latin1"', 'utf-8x'])
      expect(await send({ 'content-type': `application/json; charset=${charset}` }), charset).toMatchObject({
        status: 415,
        body: { errorMessage: 'Charset of the body must be utf-8', code: 'unsupported_media_type' },
      });
    expect((await send({ 'content-encoding': 'Identity' })).status).toBe(201);
    for (const encoding of ['gzip', 'br', 'identity, gzip'])
      expect(await send({ 'content-encoding': encoding }), encoding).toMatchObject({
        status: 415,
        body: { errorMessage: 'Content-Encoding must be identity: the body is taken uncompressed', code: 'unsupported_media_type' },
      });
    expect((await client.get('/workspaces', { 'content-encoding': 'gzip' })).status).toBe(200);
    expect((await client.send('POST', '/nowhere', '{}', { ...json, 'content-encoding': 'gzip' })).status).toBe(404);
  });

  test('a form is not taken compressed either', async ({ api }) => {
    const { workspace } = await api.newAgent();
    const answer = await workspace.owner.send('POST', `${workspace.url}/documents`, 'x', {
      'content-type': 'multipart/form-data; boundary=x',
      'content-encoding': 'gzip',
    });
    expect(answer).toMatchObject({ status: 415, body: { errorMessage: expect.stringMatching(/^Content-Encoding/) } });
  });
});

describe('keys are data', () => {
  const hostile = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":1,"hasOwnProperty":null}';

  test.for([['as JSON', hostile] as const, ['as a string of JSON', JSON.stringify(hostile)] as const])(
    'meta %s keeps __proto__ and constructor, and nothing else gets them',
    async ([, meta], { api }) => {
      const { runtime, url } = await api.newSession();
      const bodies: Answer[] = [
        await runtime.send('POST', `${url}/messages`, `{"role":"user","content":"x","meta":${meta}}`, json),
        await runtime.send('POST', `${url}/messages`, `{"role":"user","content":"x","meta":${meta}}`, {
          ...json,
          'idempotency-key': `k${meta.length}`,
        }),
        await runtime.send('POST', `${url}/memories`, `{"kind":"fact","content":"x","meta":${meta}}`, json),
        await runtime.send('PUT', url, `{"meta":${meta}}`, json),
      ];
      for (const answer of [
        ...bodies,
        await runtime.get(url),
        await runtime.get(`${url}/messages`),
        await runtime.get(`${url}/memories`),
      ]) {
        expect(answer.status).toBeLessThan(300);
        expect(answer.text).toContain(`"meta":${hostile}`);
      }
      const fork = await runtime.post(`${url}/fork`, {});
      expect(fork.text).toContain('"meta":{"__proto__":{"polluted":1},');
      expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    },
  );

  test('config of a prompt keeps them too', async ({ api }) => {
    const { runtime, url } = await api.newPrompt();
    const answer = await runtime.send(
      'POST',
      `${url}/versions`,
      `{"type":"text","content":"x","config":${hostile},"meta":${hostile}}`,
      json,
    );
    expect(answer.status).toBe(201);
    expect(answer.text).toContain(`"config":${hostile}`);
    expect(answer.body.meta).toBe(hostile);
  });

  test('labels may be called so', async ({ api }) => {
    const { runtime, url } = await api.newSession();
    const labels = '{"__proto__":"a","constructor":"b"}';
    expect((await runtime.send('PUT', url, `{"labels":${labels}}`, json)).text).toContain(`"labels":${labels}`);
    expect((await runtime.get(url)).text).toContain(`"labels":${labels}`);
    const values = '{"variables":{"__proto__":"x"}}';
    const prompt = await api.newPrompt(undefined, { content: 'Hello {{__proto__}}' });
    const rendered = await prompt.runtime.send('POST', `${prompt.workspace.url}/promptsByName/greeting/render`, values, json);
    expect(rendered.body).toMatchObject({ text: 'Hello x' });
  });

  test('of a key that comes twice the last one counts; one that is not known is ignored, whatever it is called', async ({ api }) => {
    const { client } = await api.newUser();
    const body = '{"__proto__":{"name":"wrong"},"constructor":1,"name":"first","name":"last"}';
    expect(await client.send('POST', '/workspaces', body, json)).toMatchObject({ status: 201, body: { name: 'last' } });
    const without = '{"__proto__":{"name":"inherited"}}';
    expect(await client.send('POST', '/workspaces', without, json)).toMatchObject({
      status: 400,
      body: { errorMessage: 'Name is required' },
    });
  });

  test('any string of JSON is kept, NUL and half a surrogate pair too; a number beyond a double is null', async ({ api }) => {
    const { runtime, url } = await api.newSession();
    const { body } = await runtime.send(
      'POST',
      `${url}/messages`,
      '{"role":"user","content":"x","meta":{"a\\u0000":"\\ud800","b":1e400}}',
      json,
    );
    expect((await runtime.get(`${url}/messages/${body.id}`)).body.meta).toEqual({ 'a\0': '\ud800', b: null });
  });

  test('whole numbers are exact up to 2^53', async ({ api }) => {
    const { runtime, url } = await api.newSession();
    const meta = '{"exact":9007199254740992,"beyond":9007199254740993}';
    const answer = await runtime.send('POST', `${url}/messages`, `{"role":"user","content":"x","meta":${meta}}`, json);
    expect(answer.text).toContain('"meta":{"exact":9007199254740992,"beyond":9007199254740992}');
  });
});

describe('sizes', () => {
  test('one content is 1 MB of UTF-8, one meta 64 kB of JSON, and both engines keep them', async ({ api }) => {
    const { runtime, url } = await api.newSession();
    const meta = { a: 'x'.repeat(64_000 - 8) };
    for (const content of ['x'.repeat(1_000_000), 'é'.repeat(500_000), '😀'.repeat(250_000), '\u0001'.repeat(1_000_000)]) {
      const { status, body } = await runtime.post(`${url}/messages`, { role: 'user', content, meta });
      expect(status).toBe(201);
      const read = await runtime.get(`${url}/messages/${body.id}`);
      expect(read.body.content === content && read.body.meta.a === meta.a).toBe(true);
    }
    for (const content of ['x'.repeat(1_000_001), `${'é'.repeat(500_000)}x`, `${'😀'.repeat(250_000)}x`]) {
      expect(await runtime.post(`${url}/messages`, { role: 'user', content })).toEqual(
        refusal(400, 'Content must not exceed 1 MB', 'content'),
      );
    }
    const tooLarge = { a: 'x'.repeat(64_000 - 7) };
    for (const sent of [tooLarge, JSON.stringify(tooLarge), `{"a":[${Array(4_000).fill('1e20').join(',')}]}`, `{}${' '.repeat(64_000)}`]) {
      const answer = await runtime.post(`${url}/messages`, { role: 'user', content: 'x', meta: sent });
      expect(answer).toEqual(refusal(400, 'Meta must not exceed 64 kB of JSON', 'meta'));
    }
    const kept = await api.db.one(sql<{ bytes: number }>`
      select max(octet_length(meta)) as bytes from messages where workspace_id = ${(await runtime.get('/me')).body.accessKey.workspaceId}`);
    expect(Number(kept.bytes)).toBe(64_000);
  });

  test('what is counted is counted before its elements are looked at, and 20 complaints are enough', async ({ api }) => {
    const { runtime, url, agent } = await api.newSession();
    const many = Array(19_000).fill(1);
    const before = process.threadCpuUsage();
    const answers = [
      await runtime.post(`${url}/memories/search`, { query: 'x', kinds: many }),
      await runtime.post(`${url}/messages/search`, { query: 'x', roles: many }),
      await runtime.put(url, { labels: Object.fromEntries(many.map((_, index) => [index, index])) }),
      await agent.workspace.owner.post(`${agent.workspace.url}/keys`, { name: 'x', permissions: Array(3_000).fill('CAN_FLY') }),
      await runtime.post(`${url}/messages/batch`, { messages: Array(20_000).fill({}) }),
    ];
    const { user } = process.threadCpuUsage(before);
    for (const { status, body, text } of answers) {
      expect([status, body.details.length]).toEqual([400, 1]);
      expect(body.errorMessage).toMatch(/must not have more than \d+ items$/);
      expect(text.length).toBeLessThan(1000);
    }
    expect(user / 1000, 'milliseconds for all of them').toBeLessThan(4_000);
    const bad = await runtime.post(`${url}/messages/batch`, { messages: Array(100).fill({ role: 'x', content: '', meta: 1 }) });
    expect(bad.body.details).toHaveLength(20);
  });
});
