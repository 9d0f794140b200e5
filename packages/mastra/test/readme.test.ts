/** The example of the README, as a program between a stand-in for the model and a real service; Mastra’s agent is a stand-in as well where Mastra could not be fetched. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { startModelServer } from '../../ai-sdk/test/model-server.ts';
import { clientOf, describeOnEachEngine } from '../../client/test/service.ts';
import { mastraFolder } from './runners.ts';

const run = promisify(execFile);
const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const standIn = `
  import { startStandIn } from '${new URL('runners.ts', import.meta.url).href}';
  export class Agent {
    constructor({ instructions, model: { url }, inputProcessors: [processor] }) {
      this.ask = startStandIn({ url, processor, instructions });
    }
    async generate(content, conversation) {
      return { text: await (await this.ask)([{ role: 'user', content }], conversation) };
    }
  }`;

function installMastra(modules: string): void {
  if (mastraFolder) {
    symlinkSync(join(mastraFolder, 'node_modules/@mastra'), join(modules, '@mastra'));
    return;
  }
  const folder = join(modules, '@mastra/core');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"type":"module","exports":{"./agent":"./agent.js"}}');
  writeFileSync(join(folder, 'agent.js'), standIn);
}

describeOnEachEngine((service) => {
  test('the example of the README runs', async () => {
    const client = clientOf(service());
    const agent = await client.agents.create({ name: 'Support' });
    const { url, requests, answer } = await startModelServer();
    answer({ text: ['Noted.'] }, { text: ['The small one.'] });
    const folder = mkdtempSync(join(tmpdir(), 'commonplace-readme-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    mkdirSync(join(folder, 'node_modules/@commonplace'), { recursive: true });
    for (const name of ['client', 'mastra']) symlinkSync(at(`../../${name}`), join(folder, 'node_modules/@commonplace', name));
    installMastra(join(folder, 'node_modules'));
    const snippets = [...readFileSync(at('../README.md'), 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code as string);
    expect(snippets).toHaveLength(1);
    const program = [...snippets, 'console.log(text);']
      .join('\n')
      .replace("'openai/gpt-5'", `{ id: 'custom/stand-in', url: '${url}', apiKey: 'k' }`)
      .replace('remember({', 'remember({ timeoutMs: 600_000,');
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'readme.ts'), program);
    const env = {
      PATH: process.env.PATH,
      COMMONPLACE_URL: service().url,
      COMMONPLACE_ACCESS_KEY: service().accessKey,
      COMMONPLACE_WORKSPACE_ID: service().workspaceId,
    };
    const { stdout } = await run(process.execPath, ['readme.ts'], { cwd: folder, env });
    expect(stdout).toBe('The small one.\n');
    expect(JSON.stringify(requests[1])).toContain('My budget for the oven is £5k');
    const session = await client.sessions.getByLabels(agent.id, { id: 'chat-17', labels: { user: '42' } });
    expect((await client.messages.list(agent.id, session.id)).meta.total).toBe(4);
  });
});
