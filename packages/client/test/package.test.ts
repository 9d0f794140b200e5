/** The package as it is published: what is in it, how large it is, and its types. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { bundleFor } from './bundle.ts';
import { installPackedClient } from './packed-client.ts';

const LARGEST_COMPRESSED_BYTES = 15_000;
const run = promisify(execFile);
const bin = (name: string) => fileURLToPath(new URL(`../../../node_modules/.bin/${name}`, import.meta.url));
const { user, installed, remove } = installPackedClient();
afterAll(remove);

const files = readdirSync(installed, { recursive: true, encoding: 'utf8' });
const read = (file: string) => readFileSync(join(installed, file), 'utf8');

describe('the packed package', () => {
  test('holds JavaScript, declarations, a README and the license, and needs nothing', () => {
    expect(files.filter((file) => !/\.(js|d\.ts)$|^(handles|resources)$/.test(file)).sort()).toEqual([
      'LICENSE',
      'README.md',
      'package.json',
    ]);
    const description = JSON.parse(read('package.json'));
    for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies']) expect(description[kind]).toBeUndefined();
    expect(description).toMatchObject({
      name: '@commonplace/client',
      type: 'module',
      exports: { '.': { types: './index.d.ts', default: './index.js' } },
    });
  });

  test('imports only files of its own', () => {
    for (const file of files.filter((name) => /\.(js|d\.ts)$/.test(name))) {
      const imported = [...read(file).matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)].map((match) => match[1] as string);
      expect(
        imported.filter((name) => !/^\.{1,2}\/.*\.js$/.test(name)),
        file,
      ).toEqual([]);
      expect(read(file), file).not.toMatch(/reference types=|\bzod\b/);
    }
  });

  test('is below 15 kB, minified and compressed, for a browser', async () => {
    const code = await bundleFor(user);
    expect(code).not.toMatch(/from\s*["']node:/);
    expect(gzipSync(code).length).toBeLessThan(LARGEST_COMPRESSED_BYTES);
  });

  test.for([
    ['--lib', 'es2022,dom'],
    ['--lib', 'es2022,dom', '--exactOptionalPropertyTypes'],
  ])('has types for whoever compiles against it: %j', async (options) => {
    writeFileSync(
      join(user, 'main.ts'),
      `import { Commonplace, type Message, type MemoryHit } from '@commonplace/client';
       const commonplace = new Commonplace({ accessKey: 'k', logger: console, fetch, fetchOptions: { cache: 'no-store', proxy: 'http://127.0.0.1:1' } });
       const session = await commonplace.agent('support').sessions.open({ id: 'chat-17', labels: { user: '42' } });
       const message: Message = await session.messages.create({ role: 'user', content: 'Hello', meta: { a: 1 } });
       // @ts-expect-error a role is one of three
       await session.messages.create({ role: 'robot', content: 'Hello' });
       // @ts-expect-error an id is missing
       await commonplace.messages.update(message.sessionId, message.id, { content: 'Hello' });
       const hits: MemoryHit[] = await commonplace.memories.search('a', 's', { query: 'seat', kinds: ['fact'] }, { signal: AbortSignal.timeout(1), timeoutMs: 1 });
       for await (const each of commonplace.messages.list('a', 's', { limit: 10 })) each.content.trim();
       const { data, response, requestId } = await session.memories.search('seat').withResponse();
       const text: string | undefined = data[0]?.text ?? response.headers.get('etag') ?? requestId;
       const init: RequestInit = {};
       const pages: Promise<{ data: { handle: string }[] }> = commonplace.withOptions({ timeoutMs: 1, fetchOptions: init }).agents.list();
       const page = await commonplace.agents.list();
       const next: string[] = page.hasNextPage() ? (await page.getNextPage()).data.map((agent) => agent.handle) : [];
       await commonplace.documents.upload(new Blob(['x']).stream(), { filename: 'a.md', onProgress: ({ sentBytes }) => sentBytes.toFixed() });
       try { await commonplace.agents.create({ name: '' }); }
       catch (error) { if (error instanceof Commonplace.BadRequestError) error.details.map((detail) => detail.path); }
       export { hits, next, pages, text };`,
    );
    const args = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', '--types', '', ...options, 'main.ts'];
    const { stdout } = await run(bin('tsc'), args, { cwd: user }).catch((error: { stdout: string }) => error);
    expect(stdout).toBe('');
  });
});
