/** `serve`: how it starts, refuses to start, and stops. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { cli, type Running, serve, start, temporaryFolder } from '../src/cli/spawn-for-test.ts';

const inFolder = (dataDir = temporaryFolder()) => ({ COMMONPLACE_DATA_DIR: dataDir });

test('answers once it says that it listens, and its output is JSON where nobody looks on', async () => {
  const { url, stop } = await serve(inFolder());
  expect((await fetch(`${url}/api/v1/_health`)).status).toBe(200);
  expect((await fetch(`${url}/docs`)).status).toBe(200);
  const { code, stdout, stderr } = await stop();
  expect({ code, stderr }).toStrictEqual({ code: 0, stderr: '' });
  const messages = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  // A busy machine may have something to say before.
  expect(messages.find(({ msg }) => msg === 'migrated')).toMatchObject({ version: 1 });
  // The last lines are written as the process ends, in any order.
  expect(messages.map(({ msg }) => msg)).toStrictEqual(expect.arrayContaining([`listening at ${url}`, 'stopped']));
});

test.runIf(process.platform === 'linux')('has two malloc arenas, or as many as it is told', async () => {
  const arenasOf = async (environment: Record<string, string>) => {
    const { url, process: child, stop } = await serve({ ...inFolder(), ...environment });
    expect((await fetch(`${url}/api/v1/_health`)).status).toBe(200);
    const arenas = /(?:^|\0)MALLOC_ARENA_MAX=(\d+)/.exec(readFileSync(`/proc/${child.pid}/environ`, 'latin1'))?.[1];
    return [arenas, (await stop()).code];
  };
  expect(await arenasOf({})).toEqual(['2', 0]);
  expect(await arenasOf({ MALLOC_ARENA_MAX: '7' })).toEqual(['7', 0]);
});

test('what only some requests need is loaded when one does', async () => {
  const telling = `data:text/javascript,import{registerHooks}from"node:module";
    registerHooks({load(url,c,next){process._rawDebug(url);return next(url,c)}});
    process.on("exit",()=>process._rawDebug(process.moduleLoadList.join(" ")))`;
  const { url, stop } = await serve(inFolder(), { node: ['--import', telling] });
  expect((await fetch(`${url}/api/v1/_ready`)).status).toBe(200);
  const { stderr } = await stop();
  const packages = new Set(
    [...stderr.matchAll(/\/node_modules\/((?:@[^/\s]+\/)?[^/\s]+)(?!\S*\/node_modules\/)/g)].map(([, name]) => name as string),
  );
  expect(packages).toContain('fastify');
  // The models of English and of meaning, tokens, MCP, PostgreSQL, traces, a terminal, other origins.
  const later = /^(?:wink-|onnxruntime|gpt-tokenizer|@modelcontextprotocol\/|pg|@opentelemetry\/(?!api$)|pino-pretty|@fastify\/cors)/;
  expect([...packages].filter((name) => later.test(name))).toEqual([]);
  // Node's own client, which its `fetch` is made of.
  expect(stderr).toContain('NativeModule http ');
  expect(stderr).not.toContain('undici');
});

/** A request whose body is not complete yet. */
async function halfARequest(url: string) {
  const { hostname, port } = new URL(url);
  const body = JSON.stringify({ email: 'ada@example.com', name: 'Ada', password: 'a long and unusual phrase' });
  const socket = await connected(hostname, Number(port));
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text;
  });
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(answer)));
  socket.write(`POST /api/v1/auth/setup HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`);
  socket.write(body.slice(0, 10));
  // Answered after the other has arrived.
  await fetch(`${url}/api/v1/_health`);
  return { finish: () => socket.write(body.slice(10)), closed };
}

async function connected(host: string, port: number): Promise<Socket> {
  const socket = connect(port, host);
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return socket;
}

async function untilRefused(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const isRefused = () =>
    connected(hostname, Number(port)).then(
      (socket) => !socket.destroy(),
      () => true,
    );
  await expect.poll(isRefused).toBe(true);
}

function hasOwner(dataDir: string): boolean {
  return existsSync(join(dataDir, 'commonplace.lock.json'));
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s: nothing new is accepted, what is under way is answered, and the end is clean',
  async (signal) => {
    const settings = inFolder();
    const service = await serve(settings);
    const request = await halfARequest(service.url);
    expect(hasOwner(settings.COMMONPLACE_DATA_DIR)).toBe(true);
    service.process.kill(signal);
    await untilRefused(service.url);
    expect(service.process.exitCode).toBe(null);
    request.finish();
    expect(await request.closed).toMatch(/^HTTP\/1\.1 201 [\s\S]*"ada@example\.com"/);
    expect((await service.ended).code).toBe(0);
    expect(hasOwner(settings.COMMONPLACE_DATA_DIR)).toBe(false);
    expect(existsSync(join(settings.COMMONPLACE_DATA_DIR, 'commonplace.db-wal'))).toBe(false);
  },
);

test('a connection that asks nothing does not hold up the stop, nor does one that is kept alive', async () => {
  const service = await serve(inFolder());
  const { hostname, port } = new URL(service.url);
  await connected(hostname, Number(port));
  const request = await halfARequest(service.url);
  await fetch(`${service.url}/api/v1/_health`);
  service.process.kill('SIGTERM');
  await untilRefused(service.url);
  request.finish();
  // One that was held up would end by its limit, with another code.
  expect((await service.ended).code).toBe(0);
});

test('SIGTERM to npm ends the service that it started', async () => {
  const settings = { ...inFolder(), COMMONPLACE_PORT: '0' };
  const repository = fileURLToPath(new URL('../../..', import.meta.url));
  const npm = spawn('npm', ['start'], {
    cwd: repository,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let pid: number | undefined;
  onTestFinished(() => {
    npm.kill('SIGKILL');
    if (pid !== undefined && hasOwner(settings.COMMONPLACE_DATA_DIR)) process.kill(pid, 'SIGKILL');
  });
  let output = '';
  // Closes when the last process that writes to it has ended.
  const closed = once(npm.stdout.setEncoding('utf8'), 'close');
  await new Promise<void>((resolve, reject) => {
    npm.stdout.on('data', (text: string) => {
      output += text;
      if (output.includes('listening at')) resolve();
    });
    npm.once('exit', () => reject(new Error(`npm ended before the service listened: ${output}`)));
  });
  pid = JSON.parse(readFileSync(join(settings.COMMONPLACE_DATA_DIR, 'commonplace.lock.json'), 'utf8')).pid;
  const ended = once(npm, 'exit');
  npm.kill('SIGTERM');
  // npm waits for what it started, but not for what a shell started in its turn.
  await ended;
  expect(hasOwner(settings.COMMONPLACE_DATA_DIR)).toBe(false);
  await closed;
  expect(output).toContain('"msg":"stopped"');
});

async function stoppingWith(signal: NodeJS.Signals): Promise<Running> {
  const service = await serve(inFolder());
  await halfARequest(service.url);
  service.process.kill(signal);
  await untilRefused(service.url);
  await sleep(300);
  return service;
}

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 1],
] as const)('a second %s ends at once, with %i', async (signal, code) => {
  const service = await stoppingWith(signal);
  expect(service.process.exitCode).toBe(null);
  const end = await service.stop(signal);
  expect(end.code).toBe(code);
  expect(end.stdout).toContain('ended at once by another signal');
});

test('a stop that takes too long ends, and says so', async () => {
  const module = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
  const script = `data:text/javascript,
    import { StopRequest } from ${module('../src/cli/stop-request.ts')};
    import { createLogger } from ${module('../src/logging.ts')};
    const stop = new StopRequest(await createLogger('info', false), 200);
    setInterval(() => undefined, 1000);
    process.kill(process.pid, 'SIGTERM');
    await stop.made;
    await new Promise(() => undefined);`;
  const { code, stdout } = await start([], { node: ['--import', script] }).ended;
  expect(code).toBe(1);
  expect(stdout).toContain('the stop took longer than 0.2 s');
});

test('a failure that nothing caught is logged, everything is closed, and the exit code is 1', async () => {
  const settings = inFolder();
  const failing = `data:text/javascript,process.once('SIGUSR2',()=>{Promise.reject(new Error('out of the blue'))})`;
  const service = await serve(settings, { node: ['--import', failing] });
  const { code, stdout } = await service.stop('SIGUSR2');
  expect(code).toBe(1);
  const fatal = stdout.split('\n').find((line) => line.includes('"level":60'));
  expect(JSON.parse(String(fatal))).toMatchObject({ err: { message: 'out of the blue', stack: expect.stringContaining('Error') } });
  expect(hasOwner(settings.COMMONPLACE_DATA_DIR)).toBe(false);
});

test('a port that is taken, a host that is not here: one line that names the setting, and the folder is free again', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void taken.close());
  await new Promise((resolve) => taken.once('listening', resolve));
  const { port } = taken.address() as { port: number };
  const settings = inFolder();
  for (const [wrong, expected] of [
    [{ COMMONPLACE_PORT: String(port) }, `Port ${port} of 127.0.0.1 is in use.`],
    [{ COMMONPLACE_PORT: '0', COMMONPLACE_HOST: '203.0.113.7' }, 'does not have the address 203.0.113.7'],
    [{ COMMONPLACE_PORT: '0', COMMONPLACE_HOST: 'nowhere.invalid' }, 'host name nowhere.invalid is not known'],
  ] as const) {
    const { code, stderr } = await cli(['serve'], { settings: { ...settings, ...wrong } });
    expect(code).toBe(1);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(stderr).toContain(expected);
    expect(hasOwner(settings.COMMONPLACE_DATA_DIR)).toBe(false);
  }
});

test('the account and key of the environment work from the first request on', async () => {
  const key = 'a-key-that-an-administrator-chose';
  const service = await serve({ ...inFolder(), COMMONPLACE_ADMIN_API_KEY: key, COMMONPLACE_ADMIN_EMAIL: 'root@example.com' });
  const response = await fetch(`${service.url}/api/v1/me`, { headers: { 'x-api-key': key } });
  expect(await response.json()).toMatchObject({ owner: { email: 'root@example.com', role: 'admin' } });
  expect((await service.stop()).stdout).not.toContain(key);
});
