/** The package as it is published: built, packed, unpacked elsewhere and used. */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build, type Rolldown } from 'vite';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { buildPackage } from '../../../scripts/build-packages.ts';

const LARGEST_COMPRESSED_BYTES = 15_000;
const run = promisify(execFile);
const bin = (name: string) => fileURLToPath(new URL(`../../../node_modules/.bin/${name}`, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'commonplace-package-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const built = join(folder, 'built');
const user = join(folder, 'user');
const installed = join(user, 'node_modules/@commonplace/client');
buildPackage('client', built);
execFileSync('npm', ['pack', '--pack-destination', folder, built], { stdio: 'ignore' });
const [archive] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
mkdirSync(installed, { recursive: true });
execFileSync('tar', ['-xzf', join(folder, archive as string), '-C', installed, '--strip-components=1']);
writeFileSync(join(user, 'package.json'), '{"type":"module"}');

const files = readdirSync(installed, { recursive: true, encoding: 'utf8' });
const read = (file: string) => readFileSync(join(installed, file), 'utf8');

/** The Node that runs the tests, and whatever else this machine has: its own Node, which may be as old as 20, Bun, Deno. */
function runtimes(): string[] {
  const found = (name: string) =>
    (process.env.PATH ?? '')
      .split(delimiter)
      .map((place) => join(place, name))
      .filter((file) => existsSync(file));
  const nodes = new Set([process.execPath, ...found('node').map((file) => realpathSync(file))]);
  return [
    ...nodes,
    ...found('bun').slice(0, 1),
    ...found('deno')
      .slice(0, 1)
      .map((deno) => `${deno} run --allow-all`),
  ];
}

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
    writeFileSync(join(user, 'page.js'), `export * from '@commonplace/client';`);
    const output = (await build({
      root: user,
      configFile: false,
      logLevel: 'silent',
      build: { write: false, minify: true, lib: { entry: join(user, 'page.js'), formats: ['es'], fileName: 'page' } },
    })) as Rolldown.RolldownOutput[];
    const code = output.flatMap(({ output: chunks }) => chunks).map((chunk) => ('code' in chunk ? chunk.code : ''));
    expect(code).toHaveLength(1);
    expect(code[0]).not.toMatch(/from\s*["']node:/);
    expect(gzipSync(code[0] as string).length).toBeLessThan(LARGEST_COMPRESSED_BYTES);
  });

  test.for(runtimes())('works in an empty folder with %s', async (command) => {
    const server = createServer((request, response) => {
      const { 'user-agent': agent, 'content-type': type } = request.headers;
      request.resume().on('end', () => response.end(JSON.stringify({ id: 'd', agent, type })));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    writeFileSync(join(user, 'handbook.md'), '# Handbook');
    writeFileSync(
      join(user, 'main.js'),
      `import { Commonplace, NotFoundError } from '@commonplace/client';
       const commonplace = new Commonplace({ maxRetries: 0 });
       const document = await commonplace.documents.upload('handbook.md', { onProgress() {} });
       console.log(document.agent, document.type, Commonplace.NotFoundError === NotFoundError);`,
    );
    const env = {
      HOME: user,
      COMMONPLACE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      COMMONPLACE_ACCESS_KEY: 'k',
      COMMONPLACE_WORKSPACE_ID: 'w',
    };
    const [program, ...args] = command.split(' ') as [string, ...string[]];
    const { stdout } = await run(program, [...args, 'main.js'], { cwd: user, env });
    expect(stdout, command).toMatch(/^commonplace-client\/\S+ multipart\/form-data; boundary=\S+ true\n$/);
  });

  test.for([
    ['--lib', 'es2022,dom'],
    ['--lib', 'es2022,dom', '--exactOptionalPropertyTypes'],
  ])('has types for whoever compiles against it: %j', async (options) => {
    writeFileSync(
      join(user, 'main.ts'),
      `import { Commonplace, type Message, type MemoryHit } from '@commonplace/client';
       const commonplace = new Commonplace({ accessKey: 'k', logger: console, fetch });
       const session = await commonplace.agent('support').sessions.open({ id: 'chat-17', labels: { user: '42' } });
       const message: Message = await session.messages.create({ role: 'user', content: 'Hello', meta: { a: 1 } });
       // @ts-expect-error a role is one of three
       await session.messages.create({ role: 'robot', content: 'Hello' });
       // @ts-expect-error an id is missing
       await commonplace.messages.update(message.sessionId, message.id, { content: 'Hello' });
       const hits: MemoryHit[] = await commonplace.memories.search('a', 's', { query: 'seat', kinds: ['fact'] }, { signal: AbortSignal.timeout(1), timeoutMs: 1 });
       for await (const each of commonplace.messages.list('a', 's', { limit: 10 })) each.content.trim();
       const page = await commonplace.agents.list();
       const next: string[] = page.hasNextPage() ? (await page.getNextPage()).data.map((agent) => agent.handle) : [];
       await commonplace.documents.upload(new Blob(['x']).stream(), { filename: 'a.md', onProgress: ({ sentBytes }) => sentBytes.toFixed() });
       try { await commonplace.agents.create({ name: '' }); }
       catch (error) { if (error instanceof Commonplace.BadRequestError) error.details.map((detail) => detail.path); }
       export { hits, next };`,
    );
    const args = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', '--types', '', ...options, 'main.ts'];
    const { stdout } = await run(bin('tsc'), args, { cwd: user }).catch((error: { stdout: string }) => error);
    expect(stdout).toBe('');
  });
});
