/** What users get: the README’s program, and the package as it is published. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { clientOf, describeOnEachEngine } from '../../client/test/service.ts';
import { clientEnv, makeUserFolder, programOf } from '../../client/test/user-folder.ts';
import { startModel } from './model-stand-in.ts';

const modules = ['@openai/agents', 'zod'];

describeOnEachEngine((service) => {
  test('every snippet of the README compiles and runs', async () => {
    await clientOf(service()).agents.create({ name: 'Support' });
    const model = await startModel();
    onTestFinished(() => model.close());
    const folder = makeUserFolder(['client', 'openai-agents'], modules, true);
    const { program, snippets } = programOf(new URL('../README.md', import.meta.url));
    expect(snippets).toBe(2);
    folder.write('readme.ts', program);
    expect(await folder.compile('readme.ts')).toBe('');
    const printed = await folder.run('readme.ts', {
      ...clientEnv(service()),
      OPENAI_API_KEY: 'none',
      OPENAI_BASE_URL: model.url,
      OPENAI_AGENTS_DISABLE_TRACING: '1',
    });
    expect(printed).toContain('You said: My budget for the oven is £5k | What was my budget?\n');
    expect(printed).toContain('| Which oven should I buy?\n');
  });
});

test('the published package needs the client, and has the SDK beside it', () => {
  const folder = makeUserFolder(['openai-agents'], [], true);
  const installed = join(folder.path, 'node_modules/@commonplace/openai-agents');
  const description = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  expect(description).toMatchObject({ dependencies: { '@commonplace/client': '0.1.0' }, exports: { '.': { default: './index.js' } } });
  expect(Object.keys(description.peerDependencies)).toEqual(['@openai/agents']);
  expect(description.devDependencies ?? description.private).toBeUndefined();
  for (const file of readdirSync(installed).filter((name) => name.endsWith('.js'))) {
    const imported = [...readFileSync(join(installed, file), 'utf8').matchAll(/from '([^'.][^']*)'/g)].map((match) => match[1]);
    // The SDK is there for its types alone.
    expect(new Set(imported.filter((name) => !name?.startsWith('@commonplace/client'))), file).toEqual(new Set());
  }
});
