/** What was done, told as events: which, in which order, and to whom. */
import { expect } from 'vitest';
import { type Answer, atOnce, type Client, made, type TestApi, type TestSession, test } from '../../test/api.ts';
import { newKnowledge } from '../../test/documents.ts';
import { countEvents, eventsDuring, eventsOf, type RecordedEvent, typesOf } from '../../test/recorded-events.ts';
import { newId } from '../db/ids.ts';

async function newTalk(api: TestApi, configs: Record<string, unknown> = {}) {
  const session = await api.newSession(await api.newAgent(undefined, { configs: { memoryPipeline: true, ...configs } }), 'user=42');
  return { ...session, workspace: session.agent.workspace, say: sayIn(api, session) };
}

/** Written, and looked at. */
function sayIn(api: TestApi, { runtime, url }: TestSession) {
  return async (content: string): Promise<string> => {
    const { id } = made(await runtime.post(`${url}/messages`, { role: 'user', content }));
    await api.extractMemories();
    return id;
  };
}

/** Without what an event and a resource have beside what they say. */
const told = ({ type, agentId, sessionId }: RecordedEvent) => [type, agentId, sessionId];

test('a small story is told whole and in order', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const { owner, url } = workspace;
  const member = await api.newMember(workspace, 'readonly');
  const knowledge = await newKnowledge(api, workspace);
  const agent = made(await owner.post(`${url}/agents`, { name: 'Ada', description: 'Helps.', configs: { memoryPipeline: true } }));
  const sessions = `${url}/agents/${agent.id}/sessions`;
  const session = made(await owner.post(sessions, { id: 'chat-1' }));
  const ignoring = { prefer: 'resolution=ignore-duplicates' };
  expect((await owner.post(sessions, { id: 'chat-1' }, ignoring)).status).toBe(200);
  const place = `${sessions}/${session.id}`;
  const say = sayIn(api, { id: session.id, url: place, runtime: owner } as TestSession);
  await say('I live in Berlin.');
  await say('I moved to Lisbon.');
  const { body: kept } = await owner.get(`${place}/memories`);
  expect((await owner.put(`${place}/memories/${kept.memories[0].id}`, { content: 'User lives in Porto' })).status).toBe(200);
  const prompt = made(await owner.post(`${url}/prompts`, { name: 'Greeting', type: 'text', content: 'Hello', production: true }));
  const versions = `${url}/prompts/${prompt.promptId}/versions`;
  const second = made(await owner.post(versions, { type: 'text', content: 'Good day' }));
  expect((await owner.put(`${versions}/${second.id}`, { production: true })).status).toBe(200);
  const handbook = { externalId: 'handbook', content: 'Bring a towel.' };
  await knowledge.indexed(handbook);
  await knowledge.upload(handbook);
  await knowledge.upload({ ...handbook, labels: 'lang:en' });
  await knowledge.indexed({ ...handbook, content: 'Bring two towels.' });
  const key = made(await owner.post(`${url}/keys`, { name: 'For the shop', permissions: ['CAN_GET_AGENT'] }));
  expect((await owner.delete(`${url}/keys/${key.id}`)).status).toBe(204);
  expect((await owner.put(`${url}/members/${member.id}`, { role: 'admin' })).status).toBe(200);
  expect((await owner.delete(place)).status).toBe(204);
  const events = await eventsOf(workspace);
  const inSession = [agent.id, session.id];
  expect(events.map(told)).toEqual([
    // Of the one who uploads documents.
    ['key.created', undefined, undefined],
    ['agent.created', agent.id, undefined],
    ['session.created', ...inSession],
    ['message.created', ...inSession],
    ['memory.created', ...inSession],
    ['message.created', ...inSession],
    ['memory.created', ...inSession],
    ['memory.superseded', ...inSession],
    ['memory.updated', ...inSession],
    ['prompt.created', undefined, undefined],
    ['prompt_version.created', undefined, undefined],
    ['prompt.promoted', undefined, undefined],
    ['prompt_version.created', undefined, undefined],
    ['prompt_version.updated', undefined, undefined],
    ['prompt.promoted', undefined, undefined],
    ['document.created', undefined, undefined],
    ['document.indexed', undefined, undefined],
    ['document.replaced', undefined, undefined],
    ['document.replaced', undefined, undefined],
    ['document.indexed', undefined, undefined],
    ['key.created', undefined, undefined],
    ['key.revoked', undefined, undefined],
    ['member.updated', undefined, undefined],
    ['session.deleted', ...inSession],
  ]);
  const dataOf = (type: string) => events.filter((event) => event.type === type).map(({ data }) => data);
  const [, lisbon] = dataOf('memory.created');
  expect(dataOf('memory.superseded')).toEqual([{ memory: { id: expect.any(String) }, supersededBy: lisbon.memory.id }]);
  expect(dataOf('prompt.promoted')).toMatchObject([
    { version: 1, previousVersion: null, promptVersion: { content: 'Hello', production: false } },
    { version: 2, previousVersion: 1, promptVersion: { id: second.id, content: 'Good day', production: true, variables: [] } },
  ]);
  expect(dataOf('document.replaced').map(({ sameText }) => sameText)).toEqual([true, false]);
  expect(dataOf('key.revoked')).toEqual([{ key: { id: key.id, name: 'For the shop' } }]);
  expect(dataOf('member.updated')).toMatchObject([{ member: { userId: member.id, role: 'admin' }, previousRole: 'readonly' }]);
  // What was said in a session that is gone is told to nobody, whether or not its rows are there still.
  expect(JSON.stringify(events)).not.toMatch(/Berlin|Lisbon|Porto/);
});

test('who is invited joins, declines, or is not asked any more; who deletes their account leaves', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const [joining, declining] = [await api.newUser(), await api.newUser()];
  const invite = async (email: string) => made(await workspace.owner.post(`${workspace.url}/invites`, { email, role: 'readonly' }));
  const accepted = await invite(joining.email);
  const rejected = await invite(declining.email);
  const withdrawn = await invite('nobody@example.com');
  expect((await joining.client.post(`/invites/${accepted.token}/accept`)).status).toBe(200);
  expect((await declining.client.post(`/invites/${rejected.token}/reject`)).status).toBe(200);
  expect((await workspace.owner.delete(`${workspace.url}/invites/${withdrawn.id}`)).status).toBe(204);
  const [, , , ...events] = await eventsOf(workspace);
  expect(events.map(({ type, data }) => [type, data.invite?.id ?? data.member.userId])).toEqual([
    ['invite.accepted', accepted.id],
    ['member.added', joining.id],
    ['invite.rejected', rejected.id],
    ['invite.deleted', withdrawn.id],
  ]);
  const left = await eventsDuring(workspace, () => joining.client.delete('/me'));
  expect(left.map(({ type, data }) => [type, data])).toEqual([['member.removed', { member: { id: joining.id } }]]);
});

test('a prompt that goes takes the versions with it, and agents are told that they lost it', async ({ api }) => {
  const { workspace, url, id } = await api.newPrompt(undefined, { production: true });
  const agent = await api.newAgent(workspace, { promptId: id });
  const { body } = await workspace.owner.get(`${url}/versions`);
  const [first] = body.versions;
  const second = made(await workspace.owner.post(`${url}/versions`, { type: 'text', content: 'Good day' }));
  const unset = await eventsDuring(workspace, () => workspace.owner.delete(`${url}/versions/${first.id}`));
  expect(unset.map(({ type, data }) => [type, data.version, data.previousVersion])).toEqual([
    ['prompt_version.deleted', 1, undefined],
    ['prompt.updated', undefined, 1],
  ]);
  const gone = await eventsDuring(workspace, () => workspace.owner.delete(`${url}/versions/${second.id}`));
  expect(gone.map(told)).toEqual([
    ['prompt_version.deleted', undefined, undefined],
    ['agent.updated', agent.id, undefined],
    ['prompt.deleted', undefined, undefined],
  ]);
  expect(gone[2].data).toEqual({ prompt: { id, name: 'Greeting', handle: 'greeting' } });
});

test('a document that can’t be indexed fails once', async ({ api }) => {
  const knowledge = await newKnowledge(api);
  const events = await eventsDuring(knowledge.workspace, async () => {
    await knowledge.upload({ content: ' \n ' });
    await api.drainJobs();
  });
  expect(typesOf(events)).toEqual(['document.created', 'document.failed']);
  expect(events[1].data.document).toMatchObject({ status: 'failed' });
});

test('of a copy of a session the copy is told, and nothing that was copied', async ({ api }) => {
  for (const configs of [{}, { memorySubject: 'user' }]) {
    const talk = await newTalk(api, configs);
    await talk.say('I live in Berlin.');
    let copy: Answer['body'];
    const events = await eventsDuring(talk.workspace, async () => {
      copy = made(await talk.runtime.post(`${talk.url}/fork`));
      await api.extractMemories();
    });
    const ofCopy = events.filter(({ sessionId }) => sessionId === copy.id);
    expect(ofCopy.map(({ type, data }) => [type, data.session.id, data.forkedFrom])).toEqual([['session.created', copy.id, talk.id]]);
  }
});

test('what is refused, undone or sent again is not told', async ({ api }) => {
  const { runtime, url, agent } = await api.newSession();
  const message = made(await runtime.post(`${url}/messages`, { role: 'user', content: 'Hello' }));
  const memory = made(await runtime.post(`${url}/memories`, { kind: 'fact', content: 'Said hello' }));
  const twice = { 'idempotency-key': newId() };
  made(await runtime.post(`${url}/memories`, { kind: 'fact', content: 'Once' }, twice));
  const before = await countEvents(agent.workspace);
  made(await runtime.post(`${url}/memories`, { kind: 'fact', content: 'Once' }, twice));
  const unknown = newId();
  expect((await runtime.delete(`${url}/messages/batch`, { ids: [message.id, unknown] })).status).toBe(404);
  expect((await runtime.delete(`${url}/memories/batch`, { ids: [memory.id, unknown] })).status).toBe(404);
  const later = { role: 'user', content: 'Tomorrow', createdAt: '2999-01-01T00:00:00Z' };
  expect((await runtime.post(`${url}/messages/batch`, { messages: [{ role: 'user', content: 'Today' }, later] })).status).toBe(400);
  expect((await runtime.post(`${url}/fork`, { messageId: unknown })).status).toBe(404);
  expect((await runtime.put(agent.url, { promptId: unknown })).status).toBe(404);
  expect((await agent.workspace.owner.delete(`${agent.workspace.url}/members/${agent.workspace.ownerUser.id}`)).status).toBe(409);
  expect(await countEvents(agent.workspace)).toBe(before);
});

test('whoever writes to a session at once: the events are in the order of what was committed', async ({ api }) => {
  const { runtime, url, agent, id: sessionId } = await api.newSession();
  const written = await atOnce(30, (index) => runtime.post(`${url}/messages`, { role: 'user', content: `Message ${index}` }));
  expect(written.statuses).toEqual({ 201: 30 });
  const { body } = await runtime.get(`${url}/messages?limit=100`);
  const ids: string[] = body.messages.map(({ id }: { id: string }) => id);
  const created = await eventsOf(agent.workspace, `types=message.created&sessionId=${sessionId}`);
  expect(created.map(({ data }) => data.message.id)).toEqual(ids);
  const calls = ids.flatMap((id) => [
    () => runtime.put(`${url}/messages/${id}`, { content: 'Otherwise' }),
    () => runtime.delete(`${url}/messages/${id}`),
    () => runtime.put(`${url}/messages/${id}`, { meta: { seen: true } }),
  ]);
  const { answers } = await atOnce(calls.length, (index) => (calls[index] as () => Promise<Answer>)());
  const events = (await eventsOf(agent.workspace, `sessionId=${sessionId}`)).slice(1 + ids.length);
  for (const [index, id] of ids.entries()) {
    const succeeded = [answers[3 * index], answers[3 * index + 2]].filter((answer) => answer?.status === 200);
    const types = typesOf(events.filter(({ data }) => data.message.id === id));
    expect(types).toEqual([...succeeded.map(() => 'message.updated'), 'message.deleted']);
  }
});

test('what a caller may not read is not told to it', async ({ api }) => {
  const { agent, runtime, url } = await api.newSession();
  const { workspace } = agent;
  made(await runtime.post(`${url}/messages`, { role: 'user', content: 'Hello' }));
  made(await runtime.post(`${url}/memories`, { kind: 'fact', content: 'Said hello' }));
  const another = await api.newSession(await api.newAgent(workspace));
  made(await another.runtime.post(`${another.url}/messages`, { role: 'user', content: 'Elsewhere' }));
  await api.newPrompt(workspace, { production: true });
  const subjectsFor = async (reader: Client) => [
    ...new Set(typesOf(await eventsOf(workspace, '', reader)).map((type) => type.split('.')[0])),
  ];
  const ofAgents = ['agent', 'session', 'message', 'memory', 'prompt', 'prompt_version'];
  expect((await subjectsFor(workspace.owner)).sort()).toEqual([...ofAgents, 'key'].sort());
  expect((await subjectsFor((await api.newMember(workspace, 'readonly')).client)).sort()).toEqual([...ofAgents].sort());
  expect(await subjectsFor(await api.newAccessKey(workspace, ['CAN_GET_AGENT']))).toEqual(['agent']);
  expect((await subjectsFor(await api.newAccessKey(workspace, ['CAN_GET_SESSION_MESSAGE', 'CAN_GET_PROMPT']))).sort()).toEqual(
    ['message', 'prompt', 'prompt_version'].sort(),
  );
  const limited = await api.newAccessKey(workspace, undefined, undefined, [agent.id]);
  const seen = await eventsOf(workspace, '', limited);
  expect(new Set(seen.map(({ agentId }) => agentId))).toEqual(new Set([agent.id, undefined]));
  expect([...new Set(typesOf(seen))].sort()).toEqual(
    [
      'agent.created',
      'session.created',
      'message.created',
      'memory.created',
      'prompt.created',
      'prompt_version.created',
      'prompt.promoted',
    ].sort(),
  );
  expect(JSON.stringify(seen)).not.toContain('Elsewhere');
});
