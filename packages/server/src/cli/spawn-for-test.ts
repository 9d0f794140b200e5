/** The program as tests run it: real processes, a data folder for each, nothing left behind. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));
const LIMIT_MS = 600_000;

export interface Surroundings {
  readonly settings?: Readonly<Record<string, string>>;
  /** What comes in on standard input. */
  readonly input?: string;
  /** Options of Node itself. */
  readonly node?: readonly string[];
  readonly script?: string;
  /** What is run in place of Node with the script. */
  readonly command?: readonly [string, ...string[]];
  readonly cwd?: string;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'commonplace-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs a command to its end. */
export async function cli(args: readonly string[], surroundings: Surroundings = {}): Promise<Ended> {
  const started = start(args, surroundings);
  started.process.stdin.end(surroundings.input ?? '');
  return started.ended;
}

export interface Running {
  readonly process: ChildProcessWithoutNullStreams;
  readonly url: string;
  readonly ended: Promise<Ended>;
  /** Sends the signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Ended>;
}

/** Starts the service on a free port, and waits until it listens. */
export async function serve(
  settings: Readonly<Record<string, string>>,
  { args = ['serve'], ...surroundings }: Omit<Surroundings, 'settings'> & { readonly args?: readonly string[] } = {},
): Promise<Running> {
  const { process: child, ended, output } = start(args, { settings: { COMMONPLACE_PORT: '0', ...settings }, ...surroundings });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', () => {
      const found = /listening at (http:\/\/[^"\s]+)/.exec(output.stdout);
      if (found) resolve(found[1] as string);
    });
    ended.then((end) => reject(new Error(`The service ended with ${end.code}: ${end.stderr}${end.stdout}`)), reject);
  });
  const stop = (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal);
    return ended;
  };
  return { process: child, url, ended, stop };
}

export function start(args: readonly string[], { settings = {}, node = [], script = main, command, cwd }: Surroundings) {
  const [file, ...first] = command ?? [process.execPath, ...node, script];
  const child = spawn(file, [...first, ...args], { env: environment(settings), cwd });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  // A program that ends without reading its input is no failure of the test.
  child.stdin.on('error', () => undefined);
  const tooLong = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'close').then(([code]): Ended => {
    clearTimeout(tooLong);
    return { code: code as number | null, ...output };
  });
  return { process: child, ended, output };
}

/** Of the surroundings of the tests only what a program needs to run, and where Node keeps what it compiled. */
function environment(settings: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const passed = ['PATH', 'HOME', 'TMPDIR', 'SystemRoot', 'NODE_COMPILE_CACHE'].flatMap((name) => {
    const value = process.env[name];
    return value ? [[name, value] as const] : [];
  });
  return { ...Object.fromEntries(passed), ...settings };
}
