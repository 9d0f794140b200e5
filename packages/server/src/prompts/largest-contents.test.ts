/** What the largest prompts cost everybody else: processor time of the main thread. */
import { describe, expect } from 'vitest';
import { type Answer, made, type TestPrompt, test } from '../../test/api.ts';

/** Under the most that a content may have. */
const SIZE = 900_000;
const MAIN_THREAD_MS = 2_000;

const contents = {
  'lines that all differ': ['x\n'.repeat(SIZE / 2), 'y\n'.repeat(SIZE / 2)],
  'placeholders that all differ': [
    Array.from({ length: SIZE / 10 }, (_, index) => `{{a${index}}}`).join(''),
    Array.from({ length: SIZE / 10 }, (_, index) => `{{b${index}}}\n`).join(''),
  ],
} as const;

async function newVersion(prompt: TestPrompt, content: string, type: 'text' | 'chat' = 'text') {
  return made(await prompt.runtime.post(`${prompt.url}/versions`, { type, content }));
}

async function mainThreadMs(call: () => Promise<Answer>): Promise<{ answer: Answer; ms: number }> {
  const before = process.threadCpuUsage();
  const answer = await call();
  const { user, system } = process.threadCpuUsage(before);
  return { answer, ms: (user + system) / 1000 };
}

describe.for(Object.entries(contents))('two contents with %s', ([, [one, other]]) => {
  test('are compared without holding up anybody', { timeout: 60_000 }, async ({ api }) => {
    const prompt = await api.newPrompt();
    const [from, to] = [await newVersion(prompt, one), await newVersion(prompt, other)];
    const { answer, ms } = await mainThreadMs(() => prompt.runtime.get(`${prompt.url}/versions/${from.id}/diff/${to.id}`));
    expect(answer.status).toBe(200);
    expect(answer.body.changes).toEqual([
      { kind: 'removed', text: one },
      { kind: 'added', text: other },
    ]);
    expect(answer.body.unified.length).toBeGreaterThan(one.length + other.length);
    expect(ms).toBeLessThan(MAIN_THREAD_MS);
  });
});

test('variables of a large version are found without holding up anybody', { timeout: 60_000 }, async ({ api }) => {
  const prompt = await api.newPrompt();
  const content = `[${'{},'.repeat(SIZE / 3 - 10)}{}]{{a}}`;
  const { id } = await newVersion(prompt, content, 'chat');
  const { answer, ms } = await mainThreadMs(() => prompt.runtime.get(`${prompt.url}/versions/${id}`));
  expect(answer.body.variables).toEqual(['a']);
  expect(ms).toBeLessThan(MAIN_THREAD_MS);
});

test('a list of large versions has the variables of each', { timeout: 60_000 }, async ({ api }) => {
  const prompt = await api.newPrompt();
  for (const name of ['a', 'b', 'c']) await newVersion(prompt, `{{${name}}}`.repeat(40_000));
  const { body } = await prompt.runtime.get(`${prompt.url}/versions`);
  expect(body.versions.map(({ variables }: { variables: string[] }) => variables)).toEqual([['c'], ['b'], ['a'], []]);
});

describe('a prompt that would be rendered into more than memory', () => {
  test('is refused, of text', { timeout: 60_000 }, async ({ api }) => {
    const prompt = await api.newPrompt(undefined, { name: 'Bomb', content: '{{a}}'.repeat(20_000) });
    const render = (a: string) => prompt.runtime.post(`${prompt.workspace.url}/promptsByName/bomb/render`, { variables: { a } });
    const { answer, ms } = await mainThreadMs(() => render('x'.repeat(20_000)));
    expect(answer).toMatchObject({
      status: 400,
      body: { errorMessage: 'Rendered prompt must not exceed 1000000 characters', code: 'validation_failed' },
    });
    expect(ms).toBeLessThan(MAIN_THREAD_MS);
    expect((await render('x'.repeat(50))).body.text).toHaveLength(1_000_000);
    expect((await render('x'.repeat(51))).status).toBe(400);
  });

  test('is refused, of all messages of a chat together', { timeout: 60_000 }, async ({ api }) => {
    const content = JSON.stringify(Array.from({ length: 1000 }, () => ({ role: 'user', content: '{{a}}' })));
    const prompt = await api.newPrompt(undefined, { name: 'Bomb', type: 'chat', content });
    const render = (a: string) => prompt.runtime.post(`${prompt.workspace.url}/promptsByName/bomb/render`, { variables: { a } });
    expect((await render('x'.repeat(1000))).body.messages).toHaveLength(1000);
    expect(await render('x'.repeat(1001))).toMatchObject({
      status: 400,
      body: { errorMessage: 'Rendered prompt must not exceed 1000000 characters' },
    });
  });
});

test('values that do not match a prompt are answered by twenty names', async ({ api }) => {
  const names = Array.from({ length: 500 }, (_, index) => `wanted_${index}`);
  const prompt = await api.newPrompt(undefined, { name: 'Many', content: names.map((name) => `{{${name}}}`).join('') });
  const variables = Object.fromEntries(names.map((name) => [`un${name}`, '']));
  const { status, body } = await prompt.runtime.post(`${prompt.workspace.url}/promptsByName/many/render`, { variables });
  expect(status).toBe(400);
  expect(body.details).toHaveLength(20);
  expect(body.errorMessage).toMatch(/missing: wanted_0, .* and 480 more; unknown: unwanted_0, .* and 480 more$/);
});
