/** The service as a user starts it: its own process, default settings, a folder or a database of its own. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { newSecret } from '../packages/server/src/auth/secrets.ts';
import { type Processes, repository, serverEntry } from './processes.ts';

export interface Service {
  readonly url: string;
  readonly apiKey: string;
  readonly pid: number;
}

/** Node's own flags, for who profiles: BENCH_NODE_FLAGS="--cpu-prof --cpu-prof-dir=/tmp/profiles". */
const flags = process.env.BENCH_NODE_FLAGS?.split(' ') ?? [];

export interface KillableService extends Service {
  /** By SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** By SIGTERM: what is under way is finished. */
  stop(): Promise<void>;
}

/** `entry`: another version of the program, where it is not this one that is started. */
export async function startService(
  processes: Processes,
  environment: Readonly<Record<string, string>>,
  entry = serverEntry,
): Promise<KillableService> {
  const apiKey = environment.COMMONPLACE_ADMIN_API_KEY ?? newSecret('apiKey');
  const child = processes.start(process.execPath, [...flags, entry, 'serve'], {
    cwd: repository,
    env: serviceEnvironment({ COMMONPLACE_ADMIN_API_KEY: apiKey, ...environment }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  const url = await listeningAt(child);
  const blocked: BlockedWarning[] = [];
  let rest = '';
  child.stdout?.on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.includes('the event loop was blocked')) blocked.push(JSON.parse(line));
  });
  processes.beforeEnd(async () => requireUnblocked(url, blocked));
  return { url, apiKey, pid: child.pid as number, kill, stop: () => processes.end(child) };
}

interface BlockedWarning {
  readonly cpuMs: number;
  /** Those that took long at a time say how much; the others were in flight. */
  readonly routes: readonly { readonly route: string; readonly ms?: number }[];
}

/**
 * No request may hold the main thread for more than 200 ms of processor time. Where the machine shares its processors with others, one
 * measurement may be disturbed: a route fails when it is named twice, and at once above a second.
 */
function requireUnblocked(url: string, warnings: readonly BlockedWarning[]): void {
  const named = warnings.flatMap(({ routes }) => routes.filter(({ ms }) => ms !== undefined).map(({ route }) => route));
  const again = named.filter((route, index) => named.indexOf(route) < index);
  if (again.length === 0 && warnings.every(({ cpuMs }) => cpuMs <= MOST_DISTURBED_MS)) return;
  throw new Error(`${url}: the event loop was blocked ${warnings.length} times\n${warnings.map((one) => JSON.stringify(one)).join('\n')}`);
}

const MOST_DISTURBED_MS = 1_000;

/** Nothing of the caller's own settings: what is measured are the defaults, and so many arenas of memory as `npm start` allows. */
export function serviceEnvironment(environment: Readonly<Record<string, string>>): Record<string, string | undefined> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(COMMONPLACE|OTEL)_/.test(name));
  return { ...Object.fromEntries(inherited), MALLOC_ARENA_MAX: '2', COMMONPLACE_PORT: '0', ...environment };
}

function listeningAt(child: ChildProcess): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let said = '';
  // Read to the end: a full pipe would stop the service.
  child.stdout?.on('data', (chunk) => {
    if (said.length < 100_000) said += chunk;
    const url = /listening at (http:\/\/127\.0\.0\.1:\d+)/.exec(said)?.[1];
    if (url !== undefined) resolve(url);
  });
  child.once('exit', (code) => reject(new Error(`The service ended with ${code} before it listened:\n${said}`)));
  return promise;
}

export async function call<T>(
  { url, apiKey }: Omit<Service, 'pid'>,
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: object,
): Promise<T> {
  const answer = await fetch(url + path, {
    method,
    headers: { 'x-api-key': apiKey, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

export async function freePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const server = createServer();
  server.once('error', reject);
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    server.close(() => resolve(port));
  });
  return promise;
}
