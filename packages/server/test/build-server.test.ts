/** `npm run build:server` and `npm start`: what is built, when it is built again, and when it is what runs. */
import { execFile } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { cli, serve, temporaryFolder } from '../src/cli/spawn-for-test.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const run = promisify(execFile);

const SCRIPTS = ['build-server', 'bundle-server', 'bundle-dashboard', 'fresh-bundle', 'try-server'];

function copyScripts(to: string): void {
  for (const name of SCRIPTS) cpSync(join(root, `scripts/${name}.ts`), join(to, `scripts/${name}.ts`));
  writeFileSync(join(to, 'package.json'), '{"type":"module"}');
}

async function build(folder: string, flags: readonly string[] = [], settings: Record<string, string> = {}): Promise<string> {
  const env = { PATH: process.env.PATH ?? '', ...settings };
  const { stdout, stderr } = await run(process.execPath, [join(folder, 'scripts/build-server.ts'), ...flags], { env });
  return stdout + stderr;
}

const bundlesIn = (folder: string) => readdirSync(join(folder, 'packages/server')).filter((name) => name.startsWith('.bundle-'));

describe('with a bundler that makes a program that listens', () => {
  /** The program is the text in SERVER. */
  function newRepository() {
    const folder = temporaryFolder();
    const write = (path: string, text: string) => {
      mkdirSync(join(folder, path, '..'), { recursive: true });
      writeFileSync(join(folder, path), text);
    };
    copyScripts(folder);
    write('packages/server/src/main.ts', '');
    write('packages/server/src/db/migrations/0001_first.sql', '');
    write('node_modules/rolldown/package.json', '{"name":"rolldown","type":"module","exports":"./index.js"}');
    write(
      'node_modules/rolldown/index.js',
      `import { mkdirSync, writeFileSync } from 'node:fs';
      export async function build({ input, output: { dir } }) {
        if (!process.env.SERVER) throw new Error('a module does not parse');
        mkdirSync(dir, { recursive: true });
        writeFileSync(dir + '/main.js', process.env.SERVER);
        return { output: [{ type: 'chunk', moduleIds: [...Object.values(input), '\\0runtime'] }] };
      }`,
    );
    return {
      folder,
      write,
      programs: () =>
        bundlesIn(folder)
          .map((name) => readProgram(folder, name))
          .sort(),
    };
  }
  const readProgram = (folder: string, name: string) => readFileSync(join(folder, 'packages/server', name, 'app/main.js'), 'utf8');
  const listening = (name: string) =>
    `process.on('SIGTERM', () => process.exit()); setInterval(() => {}, 1000); console.log('listening at ${name}');`;

  test('a build that fails leaves nothing and does not fail an install, except in CI', async () => {
    const { folder } = newRepository();
    expect(await build(folder, ['--on-install'])).toMatch(/a module does not parse[\s\S]*It runs from its sources\./);
    await expect(build(folder, ['--on-install'], { CI: 'true' })).rejects.toThrow('a module does not parse');
    await expect(build(folder, ['--if-stale'])).rejects.toThrow('a module does not parse');
    expect(bundlesIn(folder)).toEqual([]);
  });

  test('what was built and does not start is no bundle', async () => {
    const { folder } = newRepository();
    expect(await build(folder, ['--on-install'], { SERVER: `throw new Error('a chunk is missing')` })).toMatch(
      /does not start:[\s\S]*a chunk is missing[\s\S]*It runs from its sources\./,
    );
    // Nor what listens and then fails.
    const failing = `process.on('SIGTERM', () => process.exit(3)); setInterval(() => {}, 1000); console.log('listening at x');`;
    await expect(build(folder, [], { SERVER: failing })).rejects.toThrow('does not start');
    expect(bundlesIn(folder)).toEqual([]);
  });

  test('where the tools are left out, it says what runs', async () => {
    const { folder } = newRepository();
    rmSync(join(folder, 'node_modules'), { recursive: true });
    expect(await build(folder, ['--on-install'])).toContain('its tools are not installed. It runs from its sources.');
  });

  test('it is built again where a source changed, beside those that may run, of which three are kept', async () => {
    const { folder, write, programs } = newRepository();
    const names = ['first', 'second', 'third', 'fourth'];
    const [first, second, third, fourth] = names.map(listening) as [string, string, string, string];
    await build(folder, ['--if-stale'], { SERVER: first });
    await build(folder, ['--if-stale'], { SERVER: second });
    expect(programs()).toEqual([first]);
    write('packages/server/src/main.ts', 'changed');
    await build(folder, ['--on-install'], { SERVER: second });
    expect(programs()).toEqual([first, second].sort());
    write('packages/server/src/db/migrations/0002_second.sql', '');
    await build(folder, ['--if-stale'], { SERVER: third });
    await build(folder, [], { SERVER: fourth });
    expect(programs()).toEqual([second, third, fourth].sort());
    // Back to what one of them was built of.
    rmSync(join(folder, 'packages/server/src/db/migrations/0002_second.sql'));
    await build(folder, ['--if-stale'], { SERVER: first });
    expect(programs()).toEqual([second, third, fourth].sort());
  });
});

describe('with the service itself', () => {
  /** The repository without its tests, to change and to build. */
  function copyRepository(): string {
    const folder = temporaryFolder();
    copyScripts(folder);
    for (const part of ['packages/server/bin', 'packages/server/src', 'packages/server/package.json', 'packages/dashboard/dist'])
      cpSync(join(root, part), join(folder, part), { recursive: true, filter: (path) => !path.endsWith('.test.ts') });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    return folder;
  }

  const programOf = (folder: string) => join(folder, 'packages/server/bin/commonplace.js');

  /** As `npm start` and `npm run cli` start it. */
  async function whatRuns(folder: string): Promise<string> {
    const settings = { COMMONPLACE_DATA_DIR: temporaryFolder(), NODE_COMPILE_CACHE: '' };
    const { stdout, stderr } = await cli(['doctor'], { script: programOf(folder), settings });
    return /✓ The program (as it was built|from its sources)/.exec(stdout)?.[1] ?? stdout + stderr;
  }

  /** What a stranger sees of the service, and a message that is written, searched and remembered by its threads. */
  async function use(script: string) {
    const key = 'cp_test_key_of_a_service_that_is_new';
    const settings = { COMMONPLACE_DATA_DIR: temporaryFolder(), COMMONPLACE_ADMIN_API_KEY: key, NODE_COMPILE_CACHE: '' };
    const { url, stop } = await serve(settings, { script });
    const ask = async (path: string, body?: object) => {
      const headers = { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) };
      const answer = await fetch(`${url}/api/v1${path}`, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) });
      // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body, field by field.
      return { status: answer.status, body: (await answer.json()) as any };
    };
    const workspace = `/workspaces/${(await ask('/workspaces', { name: 'Bundles' })).body.id}`;
    const agent = `${workspace}/agents/${(await ask(`${workspace}/agents`, { name: 'Packer', configs: { memoryPipeline: true } })).body.id}`;
    const session = `${agent}/sessions/${(await ask(`${agent}/sessions`, { id: 'first' })).body.id}`;
    const written = await ask(`${session}/messages`, { role: 'user', content: 'I live in Graz.' });
    const search = async () => (await ask(`${session}/messages/search`, { query: 'Where is my home?' })).body.results;
    await expect.poll(async () => (await search()).length).toBe(1);
    await expect.poll(async () => JSON.stringify(await ask(`${session}/memories`))).toContain('lives in Graz');
    const [found] = await search();
    const seen = {
      ready: await ask('/_ready'),
      document: (await ask('/openapi.json')).body,
      page: await (await fetch(url)).text(),
      written: written.status,
      found: found.text ?? found.message?.content ?? found.content,
    };
    const { code, stderr } = await stop();
    return { ...seen, document: JSON.stringify(seen.document).replaceAll(url, ''), code, stderr };
  }

  test('a bundle of the sources as they are is what runs, and does what they do', async () => {
    const folder = copyRepository();
    expect(await whatRuns(folder)).toBe('from its sources');
    const fromSource = await use(programOf(folder));
    expect(fromSource).toMatchObject({ written: 201, code: 0, stderr: '' });
    expect(await build(folder)).toBe('');
    expect(await whatRuns(folder)).toBe('as it was built');
    expect(await use(programOf(folder))).toEqual(fromSource);

    const [bundle] = bundlesIn(folder).map((name) => join(folder, 'packages/server', name)) as [string];
    const compiled = join(bundle, 'compiled');
    expect(readdirSync(compiled, { recursive: true }).length).toBeGreaterThan(10);
    // Where nothing can be kept, as on a disk that is read-only.
    rmSync(compiled, { recursive: true });
    writeFileSync(compiled, '');
    expect(await whatRuns(folder)).toBe('as it was built');
    expect(existsSync(join(bundle, 'manifest.json'))).toBe(true);

    const source = join(folder, 'packages/server/src/clock.ts');
    const before = readFileSync(source);
    appendFileSync(source, '\n');
    expect(await whatRuns(folder)).toBe('from its sources');
    writeFileSync(source, before);
    expect(await whatRuns(folder)).toBe('as it was built');
    const part = join(bundle, 'app/fresh-bundle.js');
    const half = readFileSync(part).subarray(0, 300);
    writeFileSync(part, half);
    expect(await whatRuns(folder)).toBe('from its sources');
  });
});
