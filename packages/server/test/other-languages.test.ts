/** docs/integrations/other-languages.md: what it says of clients in other languages, as far as it can be seen from here. */
import { readFile } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { openApi } from './api.ts';

const page = await readFile(new URL('../../../docs/integrations/other-languages.md', import.meta.url), 'utf8');

test('every route that the page names is served', async () => {
  const { api, close } = await openApi();
  onTestFinished(close);
  const { paths } = JSON.parse((await api.anonymous.get('/openapi.json')).text) as { paths: Record<string, Record<string, unknown>> };
  const served = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const named = [...page.matchAll(/`((?:GET|POST|PUT|DELETE) \S+)`/g)].map((match) => match[1] as string);
  expect(named.length).toBeGreaterThan(40);
  const unknown = named.filter((route) => {
    const [method = '', path = ''] = route.split(' ');
    const isServed = path.startsWith('…')
      ? (each: string) => each.startsWith(`${method} `) && each.endsWith(path.slice(1))
      : (each: string) => each === `${method} /api/v1${path}`;
    return !served.some(isServed);
  });
  expect(unknown).toEqual([]);
});

test('requests in the form in which those clients send them are understood', async () => {
  const { api, close } = await openApi();
  onTestFinished(close);
  const url = await api.app.server.listen({ port: 0, host: '127.0.0.1' });
  const agent = await api.newAgent();
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body, field by field.
  const send = async (method: string, path: string, body?: object | FormData): Promise<{ status: number; body: any }> => {
    const isForm = body instanceof FormData;
    const headers = { ...agent.runtime.headers, ...(body && !isForm && { 'Content-Type': 'application/json' }) };
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers,
      ...(body && { body: isForm ? body : JSON.stringify(body) }),
    });
    return { status: answer.status, body: answer.status === 204 ? undefined : await answer.json() };
  };

  // Labels in the query, and no body at all.
  const session = await send('POST', `${agent.url}/sessions?id=chat-17&user=42`);
  expect(session).toMatchObject({ status: 201, body: { externalId: 'chat-17', title: '', labels: { user: '42' }, meta: {} } });
  const messages = `${agent.url}/sessions/${session.body.id}/messages`;
  // `meta` as a string that holds JSON.
  const written = await send('POST', `${messages}/batch`, { messages: [{ role: 'user', content: 'Hello', meta: '{"from":"mail"}' }] });
  expect(written).toMatchObject({ status: 201, body: { messages: [{ meta: { from: 'mail' } }] } });
  // A DELETE with a body.
  expect((await send('DELETE', `${messages}/batch`, { ids: [written.body.messages[0].id] })).status).toBe(204);
  // Labels of a document as a list in JSON.
  const form = new FormData();
  form.set('title', 'Handbook');
  form.set('labels', '["team=support"]');
  form.set('file', new Blob(['# Ovens']), 'handbook.md');
  expect(await send('POST', `${agent.workspace.url}/documents`, form)).toMatchObject({
    status: 201,
    body: { labels: ['team=support'], status: 'processing' },
  });
  // `config` and `meta` of a prompt as strings.
  const prompt = { name: 'Greeting', type: 'text', content: 'Greet {{name}}.', config: '{"model":"x"}', meta: '{"k":1}', production: true };
  expect((await send('POST', `${agent.workspace.url}/prompts`, prompt)).status).toBe(201);
  const version = await send('GET', `${agent.workspace.url}/promptsByName/greeting?version=production`);
  expect(version).toMatchObject({ status: 200, body: { config: { model: 'x' }, meta: '{"k":1}' } });
  // Errors with their sentence.
  expect(await send('GET', `${agent.workspace.url}/agents/nope`)).toMatchObject({
    status: 404,
    body: { errorMessage: expect.any(String) },
  });
});
