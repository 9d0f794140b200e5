/** What only the question before it gives a meaning to: answers and pronouns, by the built-in extractor and through the API. */
import { expect } from 'vitest';
import { type Answer, made, type TestApi, test } from '../../../test/api.ts';

/** A session in which one speaks and is answered; `person` has the agent remember by the label `user`. */
async function newTalk(api: TestApi, person?: string) {
  const agent = await api.newAgent(undefined, {
    configs: { memoryPipeline: true, ...(person === undefined ? {} : { memorySubject: 'user' }) },
  });
  const { runtime, url } = await api.newSession(agent, undefined, person === undefined ? {} : { labels: { user: person } });
  const say = async (role: 'user' | 'assistant', content: string): Promise<string> => {
    const { id } = made(await runtime.post(`${url}/messages`, { role, content }));
    await api.extractMemories();
    return id;
  };
  const listed = async (): Promise<Answer['body'][]> => {
    const path = person === undefined ? `${url}/memories?limit=100` : `${agent.url}/memories?limit=100&user=${person}`;
    const { status, body, text } = await runtime.get(path);
    expect(status, text).toBe(200);
    return body.memories.filter(({ kind }: { kind: string }) => kind !== 'summary');
  };
  return {
    user: (content: string) => say('user', content),
    assistant: (content: string) => say('assistant', content),
    listed,
    contents: async () => (await listed()).map(({ content }) => content),
    remove: async (id: string) => {
      expect((await runtime.delete(`${url}/messages/${id}`)).status).toBe(204);
      await api.extractMemories();
    },
    edit: async (id: string, content: string) => {
      expect((await runtime.put(`${url}/messages/${id}`, { content })).status).toBe(200);
      await api.extractMemories();
    },
    regenerate: async () => {
      expect((await runtime.post(`${url}/memories/regenerate`)).status).toBe(202);
      await api.drainJobs();
    },
  };
}

for (const person of [undefined, '42']) {
  const whose = person === undefined ? 'the session' : 'a person';

  test(`an answer in a request of its own is told with its question: memories of ${whose}`, async ({ api }) => {
    const talk = await newTalk(api, person);
    await talk.user('Plan a dinner for me.');
    const question = await talk.assistant('Gladly! Any allergies?');
    const answer = await talk.user('yes, latex');
    const [memory, ...others] = await talk.listed();
    expect(others).toEqual([]);
    expect(memory.content).toBe('User is allergic to latex');
    expect([...memory.meta.messageIds].sort()).toEqual([question, answer].sort());
  });

  test(`what was answered goes with the question: memories of ${whose}`, async ({ api }) => {
    const talk = await newTalk(api, person);
    const question = await talk.assistant('Where do you live?');
    await talk.user('Porto. I work at a bakery.');
    expect((await talk.contents()).sort()).toEqual(['User lives in Porto', 'User works at a bakery']);
    await talk.remove(question);
    expect(await talk.contents()).toEqual(['User works at a bakery']);
  });

  test(`what was answered is read anew when the question is edited: memories of ${whose}`, async ({ api }) => {
    const talk = await newTalk(api, person);
    const question = await talk.assistant('Where do you live?');
    await talk.user('Porto');
    expect(await talk.contents()).toEqual(['User lives in Porto']);
    await talk.edit(question, 'Where were you born?');
    expect(await talk.contents()).toEqual(['User was born in Porto']);
    await talk.edit(question, 'Where shall I look for hotels?');
    expect(await talk.contents()).toEqual([]);
  });

  test(`regenerate reads answers and pronouns the same: memories of ${whose}`, async ({ api }) => {
    const talk = await newTalk(api, person);
    const said = await talk.user('Any gift ideas for my sister Paula?');
    await talk.assistant('How nice! Do you have kids?');
    await talk.user('two, 5 and 8');
    await talk.user("She's a vet in Rome.");
    await talk.assistant('Which plan are you on?');
    await talk.user('Pro');
    const before = (await talk.contents()).sort();
    expect(before).toEqual(['User has two kids, 5 and 8', 'User is on the Pro plan']);
    await talk.regenerate();
    expect((await talk.contents()).sort()).toEqual(before);
    await talk.remove(said);
    expect((await talk.contents()).sort()).toEqual(before);
  });

  test(`whom a pronoun means goes with the message that names them: memories of ${whose}`, async ({ api }) => {
    const talk = await newTalk(api, person);
    const said = await talk.user('Any gift ideas for my sister Paula?');
    await talk.assistant('How nice!');
    await talk.user("She's a vet in Rome.");
    expect(await talk.contents()).toEqual(["User's sister Paula is a vet in Rome"]);
    await talk.regenerate();
    expect(await talk.contents()).toEqual(["User's sister Paula is a vet in Rome"]);
    await talk.remove(said);
    expect(await talk.contents()).toEqual([]);
  });
}
