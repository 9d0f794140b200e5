/** The searches of messages, memories and everything: their rules, their hits, and what they promise. */
import { expect } from 'vitest';
import { type Answer, anId, type Client, made, refusal, type TestApi, type TestSession, test } from '../../test/api.ts';
import { newId } from '../db/ids.ts';

interface Said {
  role?: string;
  content: string;
  createdAt?: string;
}

async function say(session: TestSession, ...said: (Said | string)[]): Promise<string[]> {
  const messages = said.map((one) => ({ role: 'user', ...(typeof one === 'string' ? { content: one } : one) }));
  const { messages: stored } = made(await session.runtime.post(`${session.url}/messages/batch`, { messages }));
  return stored.map(({ id }: { id: string }) => id);
}

async function keep(session: TestSession, content: string, kind = 'fact'): Promise<string> {
  return made(await session.runtime.post(`${session.url}/memories`, { kind, content })).id;
}

async function upload(client: Client, url: string, title: string, content: string): Promise<string> {
  const form = new FormData();
  form.append('title', title);
  form.append('file', new Blob([content]), 'a.md');
  const encoded = new Response(form);
  const headers = { 'content-type': encoded.headers.get('content-type') as string };
  return made(await client.post(`${url}/documents`, Buffer.from(await encoded.arrayBuffer()), headers)).id;
}

async function search(client: Client, url: string, query: string, more: Record<string, unknown> = {}): Promise<Answer['body'][]> {
  const { status, body, text } = await client.post(`${url}/search`, { query, ...more });
  expect(status, text).toBe(200);
  return body.results;
}

const textsOf = (hits: readonly Answer['body'][]): string[] => hits.map(({ text }) => text);

/** One of each place that can be searched, with something in it. */
async function everyPlace(api: TestApi) {
  const session = await api.newSession();
  const { agent, runtime } = session;
  const { workspace } = agent;
  await say(session, 'The kettle whistles.');
  await keep(session, 'Owns a kettle.');
  await upload(runtime, workspace.url, 'Kettles', 'A kettle boils water.');
  await api.drainJobs();
  return {
    runtime,
    paths: [
      `${session.url}/messages`,
      `${session.url}/memories`,
      `${agent.url}/messages`,
      `${agent.url}/memories`,
      `${workspace.url}/documents`,
      workspace.url,
    ],
  };
}

test('every search has the same rules for query, limit, minScore and explain', async ({ api }) => {
  const { runtime, paths } = await everyPlace(api);
  for (const path of paths) {
    const ask = (body: unknown) => runtime.post(`${path}/search`, body);
    for (const query of ['', ' ', '\n\t\u3000', null, undefined])
      expect(await ask({ query })).toEqual(refusal(400, 'Query is required', 'query'));
    expect(await ask({ query: 7 })).toEqual(refusal(400, 'Query must be a string', 'query'));
    expect(await ask({ query: 'a\0' })).toEqual(refusal(400, 'Query must not contain NUL or unpaired surrogate characters', 'query'));
    expect(await ask({ query: 'x'.repeat(10_001) })).toEqual(refusal(400, 'Query must not exceed 10000 characters', 'query'));
    expect(await ask({ query: 'x', limit: 101 })).toEqual(refusal(400, 'Limit must not exceed 100', 'limit'));
    expect(await ask({ query: 'x', limit: -1 })).toEqual(refusal(400, 'Limit must be at least 0', 'limit'));
    expect(await ask({ query: 'x', limit: 1.5 })).toEqual(refusal(400, 'Limit must be a whole number', 'limit'));
    expect(await ask({ query: 'x', limit: '5' })).toEqual(refusal(400, 'Limit must be a number', 'limit'));
    expect(await ask({ query: 'x', minScore: 1.1 })).toEqual(refusal(400, 'Min score must not exceed 1', 'minScore'));
    expect(await ask({ query: 'x', minScore: -0.1 })).toEqual(refusal(400, 'Min score must be at least 0', 'minScore'));
    expect(await ask({ query: 'x', explain: 'yes' })).toEqual(refusal(400, 'Explain must be a boolean', 'explain'));
    expect(await ask(undefined)).toEqual(refusal(400, 'Body must be a JSON object', ''));
    const lenient = await ask({ query: ' kettle ', limit: null, minScore: null, explain: null, colour: 'blue' });
    expect(lenient.status).toBe(200);
    expect(lenient.body).toEqual((await ask({ query: 'kettle', limit: 0 })).body);
    expect(lenient.body.results.length).toBeGreaterThan(0);
    for (const hit of lenient.body.results) expect(hit).not.toHaveProperty('explain');
  }
});

test('filters have their rules too', async ({ api }) => {
  const session = await api.newSession();
  const messages = (more: object) => session.runtime.post(`${session.url}/messages/search`, { query: 'x', ...more });
  expect(await messages({ roles: ['tool'] })).toEqual(refusal(400, 'Roles must be one of: system user assistant', 'roles.0'));
  expect(await messages({ roles: [] })).toEqual(refusal(400, 'Roles must have at least 1 item', 'roles'));
  expect(await messages({ roles: 'user' })).toEqual(refusal(400, 'Roles must be an array', 'roles'));
  expect(await messages({ since: 'yesterday' })).toEqual(refusal(400, 'Since must be a valid date-time', 'since'));
  expect(await messages({ until: '2020-02-30T00:00:00Z' })).toEqual(refusal(400, 'Until must be a valid date-time', 'until'));
  expect(await messages({ roles: null, since: null, until: null })).toMatchObject({ status: 200, body: { results: [] } });
  const memories = (more: object) => session.runtime.post(`${session.url}/memories/search`, { query: 'x', ...more });
  expect(await memories({ kinds: ['idea'] })).toEqual(
    refusal(400, 'Kinds must be one of: summary fact preference short_lived long_lived', 'kinds.0'),
  );
  expect(await memories({ kinds: [] })).toEqual(refusal(400, 'Kinds must have at least 1 item', 'kinds'));
  const labels = (of: unknown) => session.runtime.post(`${session.agent.url}/messages/search`, { query: 'x', labels: of });
  expect(await labels(['a'])).toEqual(refusal(400, 'Labels must be an object', 'labels'));
  expect((await labels({ a: 1 })).status).toBe(400);
});

test('what is not there is not found, and nothing there finds nothing', async ({ api }) => {
  const session = await api.newSession();
  const { agent, runtime } = session;
  for (const place of ['messages', 'memories']) {
    expect(await runtime.post(`${session.url}/${place}/search`, { query: 'x' })).toMatchObject({ status: 200, body: { results: [] } });
    expect(await runtime.post(`${agent.url}/${place}/search`, { query: 'x' })).toMatchObject({ status: 200, body: { results: [] } });
    for (const id of [newId(), 'nonsense']) {
      expect(await runtime.post(`${agent.url}/sessions/${id}/${place}/search`, { query: 'x' })).toEqual(refusal(404, 'Session not found'));
      expect(await runtime.post(`${agent.workspace.url}/agents/${id}/${place}/search`, { query: 'x' })).toEqual(
        refusal(404, 'Agent not found'),
      );
    }
  }
  // Another agent's session is not this one's.
  const other = await api.newAgent(agent.workspace);
  expect(await runtime.post(`${other.url}/sessions/${session.id}/messages/search`, { query: 'x' })).toEqual(
    refusal(404, 'Session not found'),
  );
  expect(await runtime.post(`${agent.workspace.url}/search`, { query: 'x' })).toMatchObject({ status: 200, body: { results: [] } });
  expect(await runtime.post(`${agent.workspace.url}/documents/search`, { query: 'x' })).toMatchObject({
    status: 200,
    body: { results: [] },
  });
});

test('a message hit and a memory hit carry what the interface says', async ({ api }) => {
  const session = await api.newSession();
  const [id] = await say(session, { role: 'assistant', content: ' The kettle\nwhistles. ' });
  const memoryId = await keep(session, 'Owns a kettle.', 'long_lived');
  const [message] = await search(session.runtime, `${session.url}/messages`, 'kettle', { explain: true });
  const part = expect.any(Number);
  const explain = { lexical: part, vector: part, tokens: part, neighbours: part, signals: expect.any(Object) };
  const score = expect.any(Number);
  expect(message).toEqual({ id, role: 'assistant', score, text: ' The kettle\nwhistles. ', sessionId: session.id, explain });
  const [memory] = await search(session.runtime, `${session.url}/memories`, 'kettle', { explain: true });
  expect(memory).toEqual({ id: memoryId, kind: 'long_lived', score, text: 'Owns a kettle.', sessionId: session.id, explain });
  for (const hit of [message, memory]) {
    expect(hit.score).toBeGreaterThan(0);
    expect(hit.score).toBeLessThanOrEqual(1);
    const { signals, ...parts } = hit.explain as { signals: Record<string, number> };
    const values = [...Object.values(parts as Record<string, number>), ...Object.values(signals)];
    expect(values.reduce((sum, value) => sum + value, 0)).toBeCloseTo(hit.score, 9);
  }
});

const beasts = 'cat dog horse owl trout beetle whale sparrow goat hen snake frog'.split(' ');

test('ten hits unless told, the best first, each once, none below the least score', async ({ api }) => {
  const session = await api.newSession();
  await say(session, ...beasts.map((beast) => `My neighbour keeps a ${beast} in the garden.`));
  for (const beast of beasts) await keep(session, `Likes every ${beast}.`);
  for (const place of ['messages', 'memories']) {
    const url = `${session.url}/${place}`;
    const all = await search(session.runtime, url, 'Is there an owl?', { limit: 100 });
    expect(all[0].text).toContain('owl');
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    const scores = all.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    for (const score of scores) expect(score > 0 && score <= 1).toBe(true);
    for (const limit of [undefined, 0, null])
      expect(await search(session.runtime, url, 'Is there an owl?', { limit })).toEqual(all.slice(0, 10));
    expect(await search(session.runtime, url, 'Is there an owl?', { limit: 1 })).toEqual(all.slice(0, 1));
    const minScore = scores[1];
    expect(await search(session.runtime, url, 'Is there an owl?', { limit: 100, minScore })).toEqual(
      all.filter(({ score }) => score >= minScore),
    );
  }
});

test('roles and kinds choose what may be an answer', async ({ api }) => {
  const session = await api.newSession();
  await say(session, ...['system', 'user', 'assistant'].map((role) => ({ role, content: `The ${role} speaks of kettles.` })));
  const found = async (roles?: string[]) =>
    textsOf(await search(session.runtime, `${session.url}/messages`, 'kettles', roles && { roles })).sort();
  expect(await found()).toHaveLength(3);
  expect(await found(['assistant'])).toEqual(['The assistant speaks of kettles.']);
  expect(await found(['user', 'system'])).toEqual(['The system speaks of kettles.', 'The user speaks of kettles.']);
  const kinds = ['summary', 'fact', 'preference', 'short_lived', 'long_lived'];
  for (const kind of kinds) await keep(session, `A ${kind} about kettles.`, kind);
  const ofKinds = async (chosen: string[]) => {
    const hits = await search(session.runtime, `${session.url}/memories`, 'kettles', { kinds: chosen });
    return hits.map(({ kind }) => kind).sort();
  };
  for (const kind of kinds) expect(await ofKinds([kind])).toEqual([kind]);
  expect(await ofKinds(['fact', 'summary'])).toEqual(['fact', 'summary']);
  expect(await ofKinds(kinds)).toEqual(kinds.toSorted());
});

test('since and until bound the time of messages, that of an imported history too', async ({ api }) => {
  const session = await api.newSession();
  // Brought along out of order, and after the newest one.
  await say(session, 'The kettle of today.');
  await say(
    session,
    { content: 'The kettle of May.', createdAt: '2023-05-08T10:00:00Z' },
    { content: 'The kettle of March.', createdAt: '2023-03-08T10:00:00Z' },
    { content: 'The kettle of July.', createdAt: '2023-07-08T12:00:00+02:00' },
  );
  const found = async (more: Record<string, unknown>) =>
    textsOf(await search(session.runtime, `${session.url}/messages`, 'kettle', more)).sort();
  const [july, march, may, today] = ['July', 'March', 'May', 'today'].map((time) => `The kettle of ${time}.`) as [
    string,
    string,
    string,
    string,
  ];
  expect(await found({})).toEqual([july, march, may, today]);
  expect(await found({ since: '2023-05-08T10:00:00.000Z' })).toEqual([july, may, today]);
  expect(await found({ since: '2023-05-08T10:00:00.001Z' })).toEqual([july, today]);
  expect(await found({ until: '2023-05-09T00:00:00Z' })).toEqual([march, may]);
  expect(await found({ since: '2023-04-01T00:00:00Z', until: '2023-07-08T11:00:00+02:00' })).toEqual([may]);
  expect(await found({ since: '2023-07-08T10:00:00Z', until: '2023-07-09T00:00:00Z' })).toEqual([july]);
  expect(await found({ since: '2024-01-01T00:00:00Z', until: '2023-01-01T00:00:00Z' })).toEqual([]);
});

test('an imported history is judged in the order of its times: an answer is found by its question', async ({ api }) => {
  const session = await api.newSession();
  const at = (minute: number) => `2023-05-08T10:${String(minute).padStart(2, '0')}:00Z`;
  const others = beasts.map((beast, index) => ({ content: `We talked about a ${beast}.`, createdAt: at(20 + index) }));
  await say(session, { role: 'assistant', content: 'On the fourth, at noon.', createdAt: at(2) }, ...others.toReversed());
  await say(session, { content: 'When does the ferry to Naxos leave?', createdAt: at(1) });
  const hits = await search(session.runtime, `${session.url}/messages`, 'ferry to Naxos', { limit: 2, explain: true });
  expect(textsOf(hits)).toEqual(['When does the ferry to Naxos leave?', 'On the fourth, at noon.']);
  expect(hits[1].explain.neighbours).toBeGreaterThan(0);
});

test.for([
  ['stop words alone', 'the of and to a'],
  ['one stop word', 'the'],
  ['emoji', '🦉🫖👩‍👩‍👧'],
  ['marks', '?!… --- "" \'\' (((*)))'],
  ['10,000 characters', 'kettle '.repeat(1_429).slice(0, 10_000)],
  ['10,000 characters without a space', 'x'.repeat(10_000)],
  ['10,000 characters', 'What about the kettle in the kitchen of my neighbour? '.repeat(185)],
  ['Chinese', '水壶在哪里？'],
  ['Japanese', 'やかんはどこですか'],
  ['Arabic', 'أين الغلاية؟'],
  ['Thai', 'กาต้มน้ำอยู่ที่ไหน'],
  ['Hindi', 'केतली कहाँ है?'],
  ['what looks like a query language', '"kettle" AND NOT (owl* OR NEAR/3) : ^ % _ \\'],
  ['a regular expression', '(.*)+$[^a]{1,}'],
  ['SQL', "'; drop table messages; --"],
  ['a combining avalanche', `k${'\u0301'.repeat(500)}ettle`],
  ['a name with a colon', 'Ann: hello'],
] as const)('a query of %s is answered', async ([, query], { api }) => {
  const { runtime, paths } = await everyPlace(api);
  for (const path of paths) {
    const hits = await search(runtime, path, query);
    for (const { score } of hits) expect(score > 0 && score <= 1).toBe(true);
  }
});

test('texts in other scripts are found by their words', async ({ api }) => {
  const session = await api.newSession();
  const said = [
    '水壶在厨房里',
    'الغلاية في المطبخ',
    'Чайник стоит на кухне',
    'Der Kessel pfeift im Schlösschen',
    '猫は窓の上で寝ている',
    'ירקות בגינה',
  ];
  await say(session, ...said);
  const best = async (query: string) => (await search(session.runtime, `${session.url}/messages`, query, { limit: 1 }))[0]?.text;
  expect(await best('水壶')).toBe(said[0]);
  expect(await best('المطبخ')).toBe(said[1]);
  expect(await best('чайник')).toBe(said[2]);
  expect(await best('schlosschen')).toBe(said[3]);
  expect(await best('猫')).toBe(said[4]);
  expect(await best('ירקות')).toBe(said[5]);
});

test('an agent’s search goes over all of its sessions and no other’s; labels of sessions narrow it', async ({ api }) => {
  const agent = await api.newAgent();
  const sessions: TestSession[] = [];
  for (const query of ['customer=42&channel=mail', 'customer=42&channel=chat', 'customer=7&channel=mail', ''])
    sessions.push(await api.newSession(agent, query));
  const stranger = await api.newSession(await api.newAgent(agent.workspace), 'customer=42');
  for (const session of [...sessions, stranger]) {
    await say(session, 'The parcel has not arrived.');
    await keep(session, 'Waits for a parcel.');
  }
  for (const place of ['messages', 'memories']) {
    const found = async (labels?: Record<string, string> | null) => {
      const hits = await search(agent.runtime, `${agent.url}/${place}`, 'parcel', { labels });
      return hits.map(({ sessionId }) => sessions.findIndex(({ id }) => id === sessionId)).sort();
    };
    expect(await found()).toEqual([0, 1, 2, 3]);
    expect(await found(null)).toEqual([0, 1, 2, 3]);
    expect(await found({ customer: '42' })).toEqual([0, 1]);
    expect(await found({ customer: '42', channel: 'mail' })).toEqual([0]);
    expect(await found({ customer: '43' })).toEqual([]);
    expect(await found({ customer: '' })).toEqual([]);
  }
});

test('a change of labels, a new session and a deleted one show in the next search of the agent', async ({ api }) => {
  const agent = await api.newAgent();
  const first = await api.newSession(agent, 'id=first&team=red');
  const second = await api.newSession(agent, 'id=second&team=blue');
  for (const session of [first, second]) {
    await say(session, 'The parcel has not arrived.');
    await keep(session, 'Waits for a parcel.');
  }
  const found = async (place: string, team?: string) => {
    const hits = await search(agent.runtime, `${agent.url}/${place}`, 'parcel', team === undefined ? {} : { labels: { team } });
    return new Set(hits.map(({ sessionId }) => sessionId));
  };
  for (const place of ['messages', 'memories']) {
    expect(await found(place, 'red')).toEqual(new Set([first.id]));
    expect(await found(place, 'blue')).toEqual(new Set([second.id]));
  }
  expect((await agent.runtime.put(first.url, { labels: { team: 'blue' } })).status).toBe(200);
  for (const place of ['messages', 'memories']) {
    expect(await found(place, 'red'), place).toEqual(new Set());
    expect(await found(place, 'blue'), place).toEqual(new Set([first.id, second.id]));
  }
  expect((await agent.runtime.put(first.url, { labels: {} })).status).toBe(200);
  expect(await found('messages', 'blue')).toEqual(new Set([second.id]));
  expect(await found('messages')).toEqual(new Set([first.id, second.id]));
  const third = await api.newSession(agent, 'team=red');
  await say(third, 'My parcel is here.');
  expect(await found('messages', 'red')).toEqual(new Set([third.id]));
  expect((await agent.runtime.delete(second.url)).status).toBe(204);
  expect(await found('messages')).toEqual(new Set([first.id, third.id]));
  expect(await found('memories')).toEqual(new Set([first.id]));
});

test('a search of the workspace finds documents, memories and messages together, the best first', async ({ api }) => {
  const session = await api.newSession();
  const { runtime, agent } = session;
  const { workspace } = agent;
  const [messageId] = await say(session, 'The samovar hisses.');
  const memoryId = await keep(session, 'Owns a samovar.', 'preference');
  const documentId = await upload(runtime, workspace.url, 'Tea', '# Samovar\n\nA samovar boils water.');
  await api.drainJobs();
  const hits = await search(runtime, workspace.url, 'samovar');
  const byType = Object.fromEntries(hits.map((hit) => [hit.type, hit]));
  const score = expect.any(Number);
  expect(hits).toHaveLength(3);
  expect(byType).toEqual({
    document: {
      type: 'document',
      documentId,
      chunkId: `${documentId}:0`,
      score,
      text: '# Samovar\n\nA samovar boils water.',
      labels: {},
      title: 'Tea',
      heading: 'Samovar',
    },
    memory: { type: 'memory', id: memoryId, kind: 'preference', score, text: 'Owns a samovar.', sessionId: session.id, agentId: agent.id },
    message: { type: 'message', id: messageId, role: 'user', score, text: 'The samovar hisses.', sessionId: session.id, agentId: agent.id },
  });
  const scores = hits.map(({ score }) => score);
  expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  expect(await search(runtime, workspace.url, 'samovar', { limit: 2 })).toEqual(hits.slice(0, 2));
  expect(await search(runtime, workspace.url, 'samovar', { minScore: scores[0] })).toEqual(hits.filter((hit) => hit.score >= scores[0]));
  for (const hit of await search(runtime, workspace.url, 'samovar', { explain: true })) expect(hit).toHaveProperty('explain');

  expect((await runtime.delete(`${workspace.url}/documents/${documentId}`)).status).toBe(204);
  expect((await runtime.delete(`${session.url}/memories/${memoryId}`)).status).toBe(204);
  expect((await search(runtime, workspace.url, 'samovar')).map(({ type }) => type)).toEqual(['message']);
  expect((await runtime.delete(agent.url)).status).toBe(204);
  expect(await search(runtime, workspace.url, 'samovar')).toEqual([]);
});

test('a search of the workspace needs the permission for each kind', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const all = ['CAN_QUERY_WORKSPACE_DOCUMENTS', 'CAN_QUERY_SESSION_MEMORIES', 'CAN_QUERY_SESSION_MESSAGES'] as const;
  const status = async (permissions: readonly (typeof all)[number][]) =>
    (await (await api.newAccessKey(workspace, permissions)).post(`${workspace.url}/search`, { query: 'x' })).status;
  expect(await status(all)).toBe(200);
  for (const missing of all) expect(await status(all.filter((permission) => permission !== missing))).toBe(403);
});

test('a deleted session can’t be searched, and a copy of one can at once', async ({ api }) => {
  const session = await api.newSession();
  await say(session, 'The kettle whistles.', 'The owl hoots.');
  await keep(session, 'Owns a kettle.');
  expect(await search(session.runtime, `${session.url}/messages`, 'kettle')).toHaveLength(2);
  const { id } = made(await session.runtime.post(`${session.url}/fork`));
  const copy = `${session.agent.url}/sessions/${id}`;
  expect((await session.runtime.delete(session.url)).status).toBe(204);
  expect(await session.runtime.post(`${session.url}/messages/search`, { query: 'kettle' })).toEqual(refusal(404, 'Session not found'));
  const [hit] = await search(session.runtime, `${copy}/messages`, 'a bird of the night');
  expect(hit).toEqual({ id: anId, role: 'user', score: expect.any(Number), text: 'The owl hoots.', sessionId: id });
});
