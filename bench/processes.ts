/** The processes of a run: started here, spoken to by messages, ended together. */
import { type ChildProcess, fork, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const END_WITHIN_MS = 10_000;

export const serverEntry = fileURLToPath(new URL('../packages/server/src/main.ts', import.meta.url));
export const repository = fileURLToPath(new URL('..', import.meta.url));

/** A program of this folder that answers one message with one message. */
export interface Helper<Request, Reply> {
  readonly pid: number;
  ask(request: Request): Promise<Reply>;
}

/** Of all runs: none outlives this process, also when it is interrupted. Their data is temporary, so that nothing is lost by ending them hard. */
const alive = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});

export class Processes implements AsyncDisposable {
  readonly #children = new Set<ChildProcess>();
  readonly #checks: (() => Promise<void>)[] = [];

  /** Starts a file of this folder; resolves when it says that it is ready. */
  async helper<Request, Reply>(file: string, ...args: string[]): Promise<Helper<Request, Reply>> {
    const child = fork(fileURLToPath(new URL(file, import.meta.url)), args, { serialization: 'advanced' });
    this.#keep(child);
    const next = <T>() => {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      const ended = (code: number | null) => reject(new Error(`${file} ended with ${code} before it answered`));
      child.once('exit', ended);
      child.once('message', (message) => {
        child.off('exit', ended);
        resolve(message as T);
      });
      return promise;
    };
    await next();
    return {
      pid: child.pid as number,
      ask: (request) => {
        const reply = next<Reply>();
        child.send(request as object);
        return reply;
      },
    };
  }

  start(program: string, args: readonly string[], options: SpawnOptions): ChildProcess {
    return this.#keep(spawn(program, args, options));
  }

  async end(child: ChildProcess): Promise<void> {
    this.#children.delete(child);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    const timer = setTimeout(() => child.kill('SIGKILL'), END_WITHIN_MS);
    child.kill('SIGTERM');
    await exited;
    clearTimeout(timer);
  }

  /** Looked at while the processes still run; what it throws is the outcome of the run. */
  beforeEnd(check: () => Promise<void>): void {
    this.#checks.push(check);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const checked = await Promise.allSettled(this.#checks.map((check) => check()));
    await Promise.all([...this.#children].map((child) => this.end(child)));
    for (const outcome of checked) if (outcome.status === 'rejected') throw outcome.reason;
  }

  #keep(child: ChildProcess): ChildProcess {
    this.#children.add(child);
    alive.add(child);
    child.once('exit', () => {
      this.#children.delete(child);
      alive.delete(child);
    });
    return child;
  }
}
