/** What users get: the README’s program, and the package as it is published. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { clientOf, describeOnEachEngine } from '../../client/test/service.ts';
import { clientEnv, makeUserFolder, programOf } from '../../client/test/user-folder.ts';
import { startModel } from './model-stand-in.ts';

describeOnEachEngine((service) => {
  test('every snippet of the README compiles and runs', async () => {
    const client = clientOf(service());
    await client.agents.create({ name: 'Support' });
    const document = await client.documents.upload(new Blob(['The warranty of an oven is five years.']), { filename: 'handbook.md' });
    await client.documents.waitUntilIndexed(document.id);
    const model = await startModel();
    onTestFinished(() => model.close());
    const folder = makeUserFolder(['client', 'langchain'], ['@langchain/core', '@langchain/openai', 'langchain'], true);
    const { program, snippets } = programOf(new URL('../README.md', import.meta.url));
    expect(snippets).toBe(3);
    folder.write('readme.ts', program);
    expect(await folder.compile('readme.ts')).toBe('');
    const printed = await folder.run('readme.ts', { ...clientEnv(service()), OPENAI_API_KEY: 'none', OPENAI_BASE_URL: model.url });
    expect(printed).toContain('You said: My budget for the oven is £5k\n');
    expect(printed).toContain('You said: My budget for the oven is £5k | What was my budget?\n');
    expect(printed).toMatch(/knowledge 0\.\d+ The warranty of an oven is five years\./);
  });
});

test('the published package needs the client, and has LangChain beside it', () => {
  const folder = makeUserFolder(['langchain'], [], true);
  const installed = join(folder.path, 'node_modules/@commonplace/langchain');
  const description = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  expect(description).toMatchObject({
    dependencies: { '@commonplace/client': '0.1.0' },
    peerDependenciesMeta: { langchain: { optional: true } },
    exports: { '.': { default: './index.js' }, './middleware': { types: './middleware.d.ts', default: './middleware.js' } },
  });
  expect(Object.keys(description.peerDependencies)).toEqual(['@langchain/core', 'langchain']);
  expect(description.devDependencies ?? description.private).toBeUndefined();
  for (const file of readdirSync(installed).filter((name) => name.endsWith('.js'))) {
    const imported = [...readFileSync(join(installed, file), 'utf8').matchAll(/from '([^'.][^']*)'/g)].map((match) => match[1] ?? '');
    const others = imported.filter((name) => !/^@(commonplace\/client|langchain\/core)(\/|$)/.test(name));
    // Who does not use the middleware need not have it.
    expect(others, file).toEqual(file === 'middleware.js' ? ['langchain'] : []);
  }
});
