/** A library in a process of its own: work goes in as a line of JSON, and its outcome comes back as one. */
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type Measure, measureOf } from '../measure.ts';
import type { Processes } from '../processes.ts';
import type { Operation } from './peer.ts';

const LAST_WORDS = 2_000;

export interface HostOptions {
  readonly program: string;
  /** Of the folder `hosts`. */
  readonly file: string;
  readonly settings: object;
  readonly environment?: Readonly<Record<string, string>>;
}

interface Answer {
  readonly error?: string;
  readonly latenciesMs?: readonly number[];
  readonly seconds?: number;
}

export class Host {
  readonly pid: number;
  readonly #send: (line: string) => void;
  readonly #answers: AsyncIterator<string>;
  readonly #lastWords: () => string;

  private constructor(pid: number, send: (line: string) => void, answers: AsyncIterator<string>, lastWords: () => string) {
    this.pid = pid;
    this.#send = send;
    this.#answers = answers;
    this.#lastWords = lastWords;
  }

  /** Resolves when the library is loaded and its store open. */
  static async start(processes: Processes, { program, file, settings, environment }: HostOptions): Promise<Host> {
    const path = fileURLToPath(new URL(`hosts/${file}`, import.meta.url));
    const child = processes.start(program, [path, JSON.stringify(settings)], {
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', ...environment },
      stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
    });
    let said = '';
    child.stderr?.on('data', (chunk) => {
      said = (said + chunk).slice(-LAST_WORDS);
    });
    // Answers end when the process does.
    child.stdin?.on('error', () => undefined);
    const answers = createInterface({ input: child.stdio[3] as Readable })[Symbol.asyncIterator]();
    const host = new Host(
      child.pid as number,
      (line) => child.stdin?.write(`${line}\n`),
      answers,
      () => said,
    );
    await host.#answer();
    return host;
  }

  async fill(scope: string, texts: readonly string[]): Promise<void> {
    this.#send(JSON.stringify({ do: 'fill', scope, texts }));
    await this.#answer();
  }

  async measure(operation: Operation, scope: string, seconds: number, callers: number): Promise<Measure> {
    this.#send(JSON.stringify({ do: 'measure', operation, scope, seconds, callers }));
    const { latenciesMs = [], seconds: took = seconds } = await this.#answer();
    return measureOf(latenciesMs, took);
  }

  async #answer(): Promise<Answer> {
    const { value, done } = await this.#answers.next();
    if (done) throw new Error(`It ended before it answered. ${this.#lastWords()}`);
    const answer = JSON.parse(value) as Answer;
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer;
  }
}
