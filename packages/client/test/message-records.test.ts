/** Messages of other libraries, kept in a session and read again. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Commonplace } from '../src/commonplace.ts';
import type { Session } from '../src/handles/session.ts';
import { MessageRecords, type NewRecord } from '../src/message-records.ts';
import { faults, startFaultProxy } from './fault-proxy.ts';
import { clientOf, describeOnEachEngine } from './service.ts';

const said = (text: string): NewRecord => ({ role: 'user', value: { text }, textAt: [['text']], label: '(nothing)' });
const valuesOf = async (records: MessageRecords, limit?: number) => (await records.list(limit)).map(({ value }) => value);
/** With half pairs of surrogates and NUL, which a content can’t have. */
const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.constantFrom('', ' ', 'a\0b', '\ud800', '…'));

describeOnEachEngine((service) => {
  const newSession = async (): Promise<Session> => {
    const client = clientOf(service());
    const agent = await client.agents.create({ name: 'Records' });
    return client.agent(agent.id).sessions.create();
  };
  const recordsOf = (session: Session) => new MessageRecords(session.messages, 'test');

  test('any value comes back as it was, in order, whatever its texts are', async () => {
    const records = recordsOf(await newSession());
    const arbitrary = fc.record({ rest: fc.jsonValue({ maxDepth: 5 }), texts: fc.array(anyText, { maxLength: 4 }) });
    const values = fc.sample(arbitrary, { numRuns: 250, seed: 7 }).map((value) => JSON.parse(JSON.stringify(value)));
    await records.append(
      values.map((value) => ({
        role: 'assistant',
        value,
        textAt: value.texts.map((_: string, index: number) => ['texts', index]),
        label: '(nothing)',
      })),
    );
    expect(await valuesOf(records)).toEqual(values);
    expect(await valuesOf(records, 7)).toEqual(values.slice(-7));
    expect(await valuesOf(records, 1_000)).toEqual(values);
    expect(await valuesOf(records, 0)).toEqual([]);
  });

  test('the text is the content, once, and is found', async () => {
    const session = await newSession();
    await recordsOf(session).append([said('My budget for the oven is £5k'), { ...said(' '), label: 'look({"up":1})' }]);
    const { data } = await session.messages.list();
    expect(data.map(({ content }) => content)).toEqual(['My budget for the oven is £5k', 'look({"up":1})']);
    expect(JSON.stringify(data[0]?.meta)).not.toContain('oven');
    expect((await session.messages.search('oven budget', { limit: 1 }))[0]?.text).toBe('My budget for the oven is £5k');
  });

  test('what is changed in the session is changed in the value', async () => {
    const session = await newSession();
    const records = recordsOf(session);
    const two: NewRecord = {
      role: 'user',
      value: { parts: ['one', 'two'] },
      textAt: [
        ['parts', 0],
        ['parts', 1],
      ],
      label: '',
    };
    await records.append([said('It costs £5k'), two]);
    expect((await records.list()).map(({ text }) => text)).toEqual(['It costs £5k', 'one\n\ntwo']);
    const { data } = await session.messages.list();
    for (const { id } of data) await session.messages.update(id, { content: 'Changed' });
    expect(await valuesOf(records)).toEqual([{ text: 'Changed' }, { parts: ['Changed', ''] }]);
  });

  test('a large value takes several messages, and goes with all of them', async () => {
    const session = await newSession();
    const records = recordsOf(session);
    const large = (image: string): NewRecord => ({ ...said('What is this?'), value: { text: 'What is this?', image } });
    const images = ['x'.repeat(1_500_000), '\\"😀'.repeat(50_000), 'é\u2028字'.repeat(60_000), 'b'.repeat(5_500_000)];
    await records.append([said('first'), ...images.map(large), said('y'.repeat(1_200_000)), said('last')]);
    const { total } = (await session.messages.list()).meta;
    expect(total).toBeGreaterThan(120);
    expect((await records.list()).map(({ text }) => text.slice(0, 13))).toEqual([
      'first',
      ...images.map(() => 'What is this?'),
      'yyyyyyyyyyyyy',
      'last',
    ]);
    const expected = [{ text: 'first' }, ...images.map((image) => ({ text: 'What is this?', image })), { text: 'y'.repeat(1_200_000) }];
    expect(await valuesOf(records, 3)).toEqual([...expected.slice(-2), { text: 'last' }]);
    expect((await records.pop())?.value).toEqual({ text: 'last' });
    for (const value of expected.toReversed()) expect((await records.pop())?.value).toEqual(value);
    expect(await records.pop()).toBeUndefined();
    expect((await session.messages.list()).meta.total).toBe(0);
    await expect(records.append([said('never'), large('z'.repeat(7_000_000))])).rejects.toBeInstanceOf(Commonplace.CommonplaceError);
    expect(await records.list()).toEqual([]);
  });

  test('messages of others are records without a value, and no meta of theirs does harm', async () => {
    const session = await newSession();
    const metas: unknown[] = [
      {},
      { test: 'no JSON' },
      { test: '{"value":1}' },
      { test: '{"value":{},"texts":[{"at":["__proto__","polluted"],"length":5}]}' },
      { test: '{"value":{},"texts":[{"at":["constructor","name"],"length":5}]}' },
      { test: '{"value":{},"texts":[null]}' },
      { test: { id: 'x', part: 'first', of: 1, json: '' } },
      { test: 7 },
    ];
    await session.messages.createBatch({ messages: metas.map((meta) => ({ role: 'system', content: 'Hello', meta: meta as never })) });
    const found = await recordsOf(session).list();
    expect(found.map(({ role, text, value }) => ({ role, text, value }))).toEqual(
      metas.map(() => ({ role: 'system', text: 'Hello', value: undefined })),
    );
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test('many at once: what is written together stays together, and each is taken once', async () => {
    const session = await newSession();
    const records = recordsOf(session);
    const writers = Array.from({ length: 8 }, (_, writer) => Array.from({ length: 5 }, (_, index) => said(`${writer}-${index}`)));
    await Promise.all(writers.map((written) => records.append(written)));
    const texts = (await records.list()).map(({ text }) => text);
    for (const [writer, written] of writers.entries()) {
      expect(texts.filter((text) => text.startsWith(`${writer}-`))).toEqual(written.map(({ value }) => (value as { text: string }).text));
    }
    const popped = await Promise.all(Array.from({ length: 10 }, () => records.pop()));
    expect(new Set(popped.map((record) => record?.text)).size).toBe(10);
    expect((await records.list()).length).toBe(30);
    await Promise.all([records.clear(), records.pop(), records.clear()]);
    expect(await records.list()).toEqual([]);
  });

  test('each is written once and taken once through a network that fails half of the time', async () => {
    const straight = await newSession();
    const { url, accessKey, workspaceId } = service();
    const quick = faults.filter((fault) => fault !== 'silent after it was done');
    let sent = 0;
    const proxy = await startFaultProxy(url, () => (sent++ % 2 === 0 ? quick[(sent >> 1) % quick.length] : undefined));
    try {
      const client = new Commonplace({ baseUrl: proxy.url, accessKey, workspaceId, maxRetries: 40 });
      const records = recordsOf(client.agent(straight.data?.agentId ?? '').session(straight.id));
      for (let index = 0; index < 12; index++) await records.append([said(`${index}`), said(`${index} again`)]);
      for (let index = 11; index >= 6; index--)
        expect([(await records.pop())?.text, (await records.pop())?.text]).toEqual([`${index} again`, `${index}`]);
      expect((await recordsOf(straight).list()).map(({ text }) => text)).toEqual(
        [0, 1, 2, 3, 4, 5].flatMap((index) => [`${index}`, `${index} again`]),
      );
      await records.clear();
      expect((await straight.messages.list()).meta.total).toBe(0);
      for (const fault of quick) expect(proxy.counts[fault], fault).toBeGreaterThan(0);
    } finally {
      await proxy.close();
    }
  });
});
