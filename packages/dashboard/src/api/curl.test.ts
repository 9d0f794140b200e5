import { expect, test, vi } from 'vitest';
import { curlOf } from './curl.ts';

vi.mock('./client.ts', () => ({ serviceUrl: 'http://h' }));

test('a quote in the question does not end the quotes of the command', () => {
  const command = curlOf({ method: 'POST', path: '/p', body: { query: "it's" } });
  expect(command).toContain(String.raw`-d '{"query":"it'\''s"}'`);
  expect(command).toMatch(/^curl 'http:\/\/h\/api\/v1\/p' /);
});
