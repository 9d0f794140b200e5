/** Bad requests without end against a service: none is answered by 5xx, none is left hanging, and nothing is left behind in it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from '../service.ts';
import { type Answer, Connection, type Exchange } from './connection.ts';
import { type Footprint, FootprintLog, footprintOf } from './footprint.ts';
import { publishedRoutes } from './openapi.ts';
import { BATCH, describePlan, type Plan, Plans } from './plans.ts';
import { SceneHolder } from './scene.ts';

/** A request that has neither an answer nor an end after this time hangs. */
const HANGS_MS = 120_000;
/** What is not complete is left alone after this time. */
const INCOMPLETE_MS = 100;
const CONNECTIONS_IN_A_SCENE = 8;
const MOST_FAILURES = 10;
/** Of the requests or of the time, before memory and files are looked at for the first time. */
const WARM_UP_SHARE = 0.2;

export interface BadRequestOptions {
  readonly service: Service;
  readonly requests: number;
  readonly seed: number;
  readonly connections: number;
  /** When to stop, even before all requests are done. */
  readonly deadlineMs?: number;
  readonly onProgress?: (done: number) => void;
}

export interface BadRequestReport {
  readonly requests: number;
  readonly seconds: number;
  readonly statuses: ReadonlyMap<number, number>;
  /** The service hung up before it answered. */
  readonly closed: number;
  /** 503 with a time to come back: the service had too much to do. */
  readonly refused: number;
  /** The first ones, each with its number and the seed. */
  readonly failures: readonly string[];
  /** Without a connection, after the warm-up and at the end. */
  readonly idle: { readonly before: Footprint; readonly after: Footprint };
  /** While requests come, after the warm-up and at the end. */
  readonly busyBytes: { readonly before: number; readonly after: number };
}

export async function runBadRequests(options: BadRequestOptions): Promise<BadRequestReport> {
  const { service, requests, connections, deadlineMs = Number.POSITIVE_INFINITY } = options;
  const routes = await publishedRoutes(service.url);
  const tally = { done: 0, closed: 0, refused: 0, statuses: new Map<number, number>(), failures: [] as string[], seconds: 0 };
  const scenes = Array.from({ length: Math.ceil(connections / CONNECTIONS_IN_A_SCENE) }, () => new SceneHolder(service.url, routes));
  const plans = new Plans(options.seed, routes);
  const senders = Array.from({ length: connections }, (_, index) => {
    return new Sender(options, plans, scenes[index % scenes.length] as SceneHolder, tally);
  });
  const batches = Math.ceil(requests / BATCH);
  let next = 0;
  const sendUpTo = async (last: number, untilMs: number) => {
    const startMs = performance.now();
    const send = async (sender: Sender) => {
      while (next < last && performance.now() < untilMs) await sender.sendBatch(next++);
      sender.close();
    };
    await Promise.all(senders.map(send));
    tally.seconds += (performance.now() - startMs) / 1000;
    return untilStill(service.pid);
  };
  const nowMs = performance.now();
  const before = await sendUpTo(Math.ceil(batches * WARM_UP_SHARE), nowMs + (deadlineMs - nowMs) * WARM_UP_SHARE);
  const log = new FootprintLog(service.pid, 1_000);
  const after = await sendUpTo(batches, deadlineMs).finally(() => log.stop());
  const busyBytes = { before: log.middle('residentBytes', 0, 0.2), after: log.middle('residentBytes', 0.8, 1) };
  const { done, seconds, statuses, closed, refused, failures } = tally;
  return { requests: done, seconds, statuses, closed, refused, failures, idle: { before, after }, busyBytes };
}

interface Tally {
  done: number;
  closed: number;
  refused: number;
  readonly statuses: Map<number, number>;
  readonly failures: string[];
}

class Sender {
  readonly #options: BadRequestOptions;
  readonly #plans: Plans;
  readonly #scenes: SceneHolder;
  readonly #port: number;
  readonly #tally: Tally;
  #connection: Connection | undefined;
  /** On this connection; what goes wrong is often the fault of the one before. */
  #last = 'nothing';

  constructor(options: BadRequestOptions, plans: Plans, scenes: SceneHolder, tally: Tally) {
    this.#options = options;
    this.#plans = plans;
    this.#scenes = scenes;
    this.#port = Number(new URL(options.service.url).port);
    this.#tally = tally;
  }

  async sendBatch(number: number): Promise<void> {
    const scene = await this.#scenes.current(BATCH);
    let at = number * BATCH;
    for (const plan of this.#plans.batch(number, scene)) await this.#send(at++, plan);
    this.#options.onProgress?.(this.#tally.done);
  }

  close(): void {
    this.#connection?.destroy();
    this.#connection = undefined;
  }

  async #send(number: number, plan: Plan): Promise<void> {
    if (!this.#connection || this.#connection.isClosed) {
      this.#connection = new Connection(this.#port);
      this.#last = 'nothing';
    }
    const exchange = await this.#connection.exchange(plan.sending, plan.mayWait ? INCOMPLETE_MS : HANGS_MS);
    this.#tally.done += Math.max(1, plan.sending.methods.length);
    this.#judge(number, plan, exchange);
    const saidClose = exchange.answers.some(({ head }) => /\r\nconnection: close/i.test(head));
    if (plan.mayWait || saidClose || exchange.end !== 'answered') this.close();
    this.#last = describePlan(plan);
  }

  #judge(number: number, plan: Plan, { answers, end }: Exchange): void {
    for (const answer of answers) {
      const { status, head } = answer;
      this.#tally.statuses.set(status, (this.#tally.statuses.get(status) ?? 0) + 1);
      if (hasWorn(plan, status)) this.#scenes.wear();
      if (status === 503 && /\r\nretry-after:/i.test(head)) this.#tally.refused++;
      else if (status >= 500 || status < 200) this.#fail(number, plan, `got ${status}`, answer);
      else if (status >= 400 && !plan.sending.methods.includes('HEAD') && !answer.body.includes('"errorMessage"'))
        this.#fail(number, plan, `got ${status} without a reason`, answer);
    }
    if (end === 'closed') this.#tally.closed++;
    if (end === 'hangs' && !plan.mayWait) this.#fail(number, plan, `got no answer within ${HANGS_MS / 1000} s, after ${this.#last}`);
  }

  #fail(number: number, plan: Plan, what: string, answer?: Answer): void {
    if (this.#tally.failures.length >= MOST_FAILURES) return;
    const said = answer ? ` ${JSON.stringify(answer.body.subarray(0, 300).toString())}` : '';
    this.#tally.failures.push(`request ${number} of seed ${this.#options.seed}: ${describePlan(plan)} ${what}${said}`);
  }
}

/** What was deleted, and a credential that has ended, leave nothing to try the next requests on. */
function hasWorn({ route, request }: Plan, status: number): boolean {
  return (route?.method === 'DELETE' && status < 300) || (status === 401 && request !== undefined && request.credential !== 'none');
}

/** Once nothing is opened or closed any more. */
async function untilStill(pid: number): Promise<Footprint> {
  let last = footprintOf(pid);
  for (let still = 0, looks = 0; still < 4 && looks < 120; looks++) {
    await sleep(500);
    const now = footprintOf(pid);
    still = now.sockets === last.sockets && now.files === last.files ? still + 1 : 0;
    last = now;
  }
  return last;
}

/** What must not be, in words; empty when all is well. */
export function problemsOf({ requests, failures, refused, idle, busyBytes }: BadRequestReport): string[] {
  const problems = [...failures];
  if (refused > 0) problems.push(`${refused} requests were refused by 503`);
  for (const kind of ['sockets', 'files'] as const)
    if (idle.after[kind] > idle.before[kind] + MORE_HANDLES) problems.push(`${kind} grew from ${idle.before[kind]} to ${idle.after[kind]}`);
  for (const [when, { before, after }] of [
    ['idle', { before: idle.before.residentBytes, after: idle.after.residentBytes }],
    ['under load', busyBytes],
  ] as const)
    if (requests >= FEWEST_FOR_MEMORY && after > before * GROWTH + MORE_BYTES)
      problems.push(`memory ${when} grew from ${inMegabytes(before)} to ${inMegabytes(after)}`);
  return problems;
}

/** Threads and pools that come and go: a thread has about five. */
const MORE_HANDLES = 40;
/** With fewer a heap has not found its size. */
const FEWEST_FOR_MEMORY = 50_000;
/** What a heap may wander. */
const GROWTH = 1.2;
const MORE_BYTES = 64 * 1024 * 1024;

export const inMegabytes = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MB`;
