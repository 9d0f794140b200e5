/** Every snippet of the README, in its order, as one program against a real service. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { clientOf, describeOnEachEngine } from './service.ts';

const run = promisify(execFile);
const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The model that the README talks to. */
const standIn = `
  const create = async ({ messages }: { model: string; messages: { role: string; content: string }[] }) => ({
    choices: [{ message: { content: 'I read ' + messages.length + ' messages.' } }] as const,
  });
  const openai = { chat: { completions: { create } } };`;

function snippetsOf(page: string): string[] {
  return [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code as string);
}

describeOnEachEngine((service) => {
  test('every snippet of the README runs', async () => {
    const client = clientOf(service());
    await client.agents.create({ name: 'Support' });
    await client.prompts.create({ name: 'Support', type: 'text', content: 'Help {{name}}.', production: true });

    const folder = mkdtempSync(join(tmpdir(), 'commonplace-readme-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const snippets = snippetsOf(readFileSync(at('../README.md'), 'utf8'));
    expect(snippets.length).toBeGreaterThan(12);

    mkdirSync(join(folder, 'node_modules/@commonplace'), { recursive: true });
    symlinkSync(at('..'), join(folder, 'node_modules/@commonplace/client'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'handbook.md'), '# Handbook\n\nThe warranty of an oven is five years.');
    writeFileSync(join(folder, 'readme.ts'), [standIn, ...snippets].join('\n'));
    const env = {
      PATH: process.env.PATH,
      COMMONPLACE_URL: service().url,
      COMMONPLACE_ACCESS_KEY: service().accessKey,
      COMMONPLACE_WORKSPACE_ID: service().workspaceId,
    };
    const { stdout } = await run(process.execPath, ['readme.ts'], { cwd: folder, env });
    for (const said of [
      'My budget for the oven is £5k',
      'preference User prefers gas ovens',
      'Handbook',
      'five years',
      'message.created',
      'Name is required',
      'ACCESS_KEY',
    ]) {
      expect(stdout).toContain(said);
    }
  });
});
