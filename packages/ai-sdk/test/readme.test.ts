/** Every snippet of the README, in its order, as one program between a stand-in for the model and a real service. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { clientOf, describeOnEachEngine } from '../../client/test/service.ts';
import { startModelServer } from './model-server.ts';

const run = promisify(execFile);
const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

describeOnEachEngine((service) => {
  test('every snippet of the README runs', async () => {
    const client = clientOf(service());
    const agent = await client.agents.create({ name: 'Support' });
    const { url, requests, answer } = await startModelServer();
    answer({ text: ['Noted.'] }, { text: ['The small one.'] }, { text: ['Good day.'] }, { text: ['Streamed.'] });

    const folder = mkdtempSync(join(tmpdir(), 'commonplace-readme-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    for (const scope of ['@commonplace', '@ai-sdk/openai']) mkdirSync(join(folder, 'node_modules', scope), { recursive: true });
    for (const name of ['ai', '@ai-sdk/openai-compatible'])
      symlinkSync(at(`../../../node_modules/${name}`), join(folder, 'node_modules', name));
    for (const name of ['client', 'ai-sdk']) symlinkSync(at(`../../${name}`), join(folder, 'node_modules/@commonplace', name));
    // The provider of the README, pointed at the stand-in.
    writeFileSync(join(folder, 'node_modules/@ai-sdk/openai/package.json'), '{"type":"module","exports":"./index.js"}');
    writeFileSync(
      join(folder, 'node_modules/@ai-sdk/openai/index.js'),
      `import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
       export const openai = createOpenAICompatible({ name: 'openai', baseURL: '${url}', apiKey: 'k' });`,
    );
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const snippets = [...readFileSync(at('../README.md'), 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code as string);
    expect(snippets).toHaveLength(3);
    const chat = { id: 'chat-19', messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'By useChat' }] }] };
    const ask = `console.log(await (await POST(new Request('http://chat.test', { method: 'POST', body: ${JSON.stringify(JSON.stringify(chat))} }))).text());`;
    writeFileSync(
      join(folder, 'readme.ts'),
      [...snippets, 'console.log(text, greeting);', ask].join('\n').replaceAll('remember({', 'remember({ timeoutMs: 600_000,'),
    );
    const env = {
      PATH: process.env.PATH,
      COMMONPLACE_URL: service().url,
      COMMONPLACE_ACCESS_KEY: service().accessKey,
      COMMONPLACE_WORKSPACE_ID: service().workspaceId,
    };
    const { stdout } = await run(process.execPath, ['readme.ts'], { cwd: folder, env });
    expect(stdout).toMatch(/^The small one\. Good day\.\n/);
    expect(stdout).toContain('"delta":"Streamed."');
    expect(JSON.stringify(requests[1])).toContain('My budget for the oven is £5k');
    const sessions = client.agent(agent.id).sessions;
    const counts = await Promise.all(
      ['chat-17', 'chat-18', 'chat-19'].map(async (id) => (await (await sessions.open({ id })).messages.list()).meta.total),
    );
    expect(counts).toEqual([4, 2, 2]);
  });
});
