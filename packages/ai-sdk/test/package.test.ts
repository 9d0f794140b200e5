/** The package as it is published: built, installed elsewhere beside the client, compiled against and used. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { buildPackage } from '../../../scripts/build-packages.ts';

const run = promisify(execFile);
const modules = fileURLToPath(new URL('../../../node_modules/', import.meta.url));
const user = mkdtempSync(join(tmpdir(), 'commonplace-package-'));
afterAll(() => rmSync(user, { recursive: true, force: true }));

const installed = join(user, 'node_modules/@commonplace/ai-sdk');
for (const name of ['client', 'ai-sdk']) buildPackage(name, join(user, 'node_modules/@commonplace', name));
mkdirSync(join(user, 'node_modules/@ai-sdk'));
for (const name of ['ai', '@ai-sdk/provider']) symlinkSync(join(modules, name), join(user, 'node_modules', name));
writeFileSync(join(user, 'package.json'), '{"type":"module"}');

const files = readdirSync(installed);
const importsOf = (file: string) =>
  [...readFileSync(join(installed, file), 'utf8').matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)].map(([, name]) => name as string);

test('holds JavaScript, declarations, a README and the license; runs with nothing but the client', () => {
  expect(files.filter((file) => !/\.(js|d\.ts)$/.test(file)).sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
  const description = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  expect(description.dependencies).toEqual({ '@commonplace/client': description.version });
  expect(description.peerDependencies).toEqual({ '@ai-sdk/provider': '^4.0.0' });
  for (const left of ['private', 'devDependencies']) expect(description[left]).toBeUndefined();
  const imported = files.filter((name) => name.endsWith('.js')).flatMap(importsOf);
  expect(imported.filter((name) => !/^\.\/.*\.js$/.test(name))).toEqual(['@commonplace/client/time-limit']);
  const declared = new Set(files.filter((name) => name.endsWith('.d.ts')).flatMap(importsOf));
  expect([...declared].filter((name) => !name.startsWith('./')).sort()).toEqual(['@ai-sdk/provider', '@commonplace/client']);
});

const program = `
  import { remember, type RememberOptions } from '@commonplace/ai-sdk';
  import { Commonplace } from '@commonplace/client';
  import { generateText, wrapLanguageModel } from 'ai';
  import { MockLanguageModelV4 } from 'ai/test';
  const commonplace = new Commonplace({ baseUrl: 'http://127.0.0.1:9', accessKey: 'k', workspaceId: 'w', maxRetries: 0 });
  const told: string[] = [];
  const options: RememberOptions = {
    session: () => commonplace.agent('support').sessions.open({ id: 'chat-17' }),
    tokenBudget: 3000,
    include: ['memories', 'messages'],
    onError: (_error, during) => told.push(during),
  };
  // @ts-expect-error a part of a context is one of five
  const wrong: RememberOptions = { session: options.session, include: ['everything'] };
  const tokens = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 };
  const usage = { inputTokens: tokens, outputTokens: { total: 1, text: 1, reasoning: 0 } };
  const answer = { content: [{ type: 'text' as const, text: 'Hello' }], finishReason: { unified: 'stop' as const, raw: 'stop' }, usage, warnings: [] };
  const model = wrapLanguageModel({ model: new MockLanguageModelV4({ doGenerate: async () => answer }), middleware: remember(options) });
  console.log((await generateText({ model, prompt: 'Hi' })).text, told.join(), typeof wrong);
`;

test('is compiled against, and works, in a folder of its own', async () => {
  writeFileSync(join(user, 'main.ts'), program);
  const compiler = ['--strict', '--exactOptionalPropertyTypes', '--target', 'es2022', '--module', 'nodenext', '--lib', 'es2024,dom'];
  const { stdout: complaints } = await run(join(modules, '.bin/tsc'), [...compiler, '--skipLibCheck', '--types', '', 'main.ts'], {
    cwd: user,
  }).catch((error: { stdout: string }) => error);
  expect(complaints).toBe('');
  const { stdout } = await run(process.execPath, ['main.js'], { cwd: user });
  expect(stdout).toBe('Hello context,writing object\n');
});
