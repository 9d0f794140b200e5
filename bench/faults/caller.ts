/** Asks a service that may be gone at any moment: an answer, or that the outcome is not known. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Gaps, type Kind } from './gaps.ts';

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the shape of a body is known to who asks for it.
  readonly body: any;
}

export interface Question {
  readonly method?: 'GET' | 'POST' | 'PUT';
  /** Below /api/v1. */
  readonly path: string;
  readonly body?: object | (() => FormData);
  readonly key?: string;
}

/** A request without an answer after this time hangs, and is given up. */
const HANGS_MS = 60_000;
const PAUSE_MS = 50;
/** Databases and nodes are back long before. */
const PATIENCE_MS = 120_000;
const MOST_PROBLEMS = 20;

export class Caller {
  readonly #url: string;
  readonly #apiKey: string;
  readonly gaps = new Gaps();
  /** What must not be, whatever fails. */
  readonly problems: string[] = [];
  /** Requests whose connection was lost, or that were answered by 5xx. */
  unanswered = 0;
  hung = 0;
  /** Since when nothing fails on purpose any more. */
  #calmSinceMs = Number.POSITIVE_INFINITY;

  constructor(url: string, apiKey: string) {
    this.#url = url;
    this.#apiKey = apiKey;
  }

  /** From now on, what has no answer for too long is a problem. */
  calmDown(): void {
    this.#calmSinceMs = performance.now();
  }

  problem(text: string): void {
    if (this.problems.length < MOST_PROBLEMS) this.problems.push(text);
  }

  /** Undefined where it is not known what became of it. */
  async ask(kind: Kind, { method = 'GET', path, body, key }: Question): Promise<Answer | undefined> {
    const content = typeof body === 'function' ? body() : body && JSON.stringify(body);
    let status: number;
    let text: string;
    try {
      const response = await fetch(`${this.#url}/api/v1${path}`, {
        method,
        headers: {
          'x-api-key': this.#apiKey,
          ...(typeof content === 'string' && { 'content-type': 'application/json' }),
          ...(key !== undefined && { 'idempotency-key': key }),
        },
        ...(content !== undefined && { body: content }),
        signal: AbortSignal.timeout(HANGS_MS),
      });
      status = response.status;
      text = await response.text();
    } catch (error) {
      if (error instanceof DOMException && error.name === 'TimeoutError') this.hung++;
      this.unanswered++;
      return undefined;
    }
    if (status >= 500) {
      if (status !== 503) this.problem(`${method} ${path}: ${status} ${text}`);
      this.unanswered++;
      return undefined;
    }
    if (status >= 400) this.problem(`${method} ${path}: ${status} ${text}`);
    else this.gaps.answered(kind);
    return { status, body: text === '' ? undefined : JSON.parse(text) };
  }

  /** Again and again until there is an answer: for what changes nothing, is the same when done twice, or has a key. */
  async insist(kind: Kind, question: Question): Promise<Answer | undefined> {
    const startMs = performance.now();
    for (;;) {
      const answer = await this.ask(kind, question);
      if (answer) return answer;
      if (performance.now() - Math.max(startMs, this.#calmSinceMs) > PATIENCE_MS) {
        this.problem(`${question.method ?? 'GET'} ${question.path}: no answer for ${PATIENCE_MS / 1000} s`);
        return undefined;
      }
      await sleep(PAUSE_MS);
    }
  }
}
