/** Cases measured round after round: each in turn, so that a busy neighbour hits them alike, and with the processor time that it took. */
import { cpuSecondsOf } from './cpu.ts';
import type { Load } from './load.ts';
import type { Measure } from './measure.ts';
import { type Helper, Processes } from './processes.ts';
import type { Service } from './service.ts';

export interface Effort {
  readonly rounds: number;
  readonly seconds: number;
}

export interface Case {
  readonly name: string;
  /** How many of what the rate counts are in one request: a batch of 100 messages is one request. */
  readonly each?: number;
  /** Of the measured processes so far, with all their threads; undefined where the system does not tell. */
  cpuSeconds(): number | undefined;
  run(seconds: number): Promise<Measure>;
}

/** What is started anew in each round and ended before the next one is: what it leaves to the background disturbs nobody else. */
export interface Side {
  open(processes: Processes): Promise<readonly Case[]>;
}

export interface Round extends Measure {
  /** For one of what the rate counts. */
  readonly cpuMicros: number;
}

export type Rounds = ReadonlyMap<string, readonly Round[]>;

export type Generator = Helper<Load, Measure>;

/** A load on a service; `each` as of a case. */
export function loadCase(
  generator: Generator,
  name: string,
  { url, apiKey, pid }: Service,
  requests: Load['requests'],
  each?: number,
): Case {
  const headers = { 'x-api-key': apiKey, ...(requests[0]?.body && { 'content-type': 'application/json' }) };
  return {
    name,
    ...(each && { each }),
    cpuSeconds: () => cpuSecondsOf(pid),
    run: (seconds) => generator.ask({ url, headers, requests, seconds }),
  };
}

/** All cases run beside each other and are asked in turn. */
export async function measureCases(cases: readonly Case[], { rounds, seconds }: Effort, warmUpSeconds = 3): Promise<Rounds> {
  const measured = new Map<string, Round[]>();
  for (const { run } of cases) await run(warmUpSeconds);
  for (let round = 0; round < rounds; round++) for (const one of cases) add(measured, one.name, await measureOnce(one, seconds));
  return measured;
}

/** One side runs at a time, and each is warmed up in each round. */
export async function measureSides(sides: readonly Side[], { rounds, seconds }: Effort, warmUpSeconds = 2): Promise<Rounds> {
  const measured = new Map<string, Round[]>();
  for (let round = 0; round < rounds; round++) {
    for (const side of sides) {
      await using processes = new Processes();
      for (const one of await side.open(processes)) {
        await one.run(warmUpSeconds);
        add(measured, one.name, await measureOnce(one, seconds));
      }
    }
  }
  return measured;
}

export async function measureOnce({ each = 1, cpuSeconds, run }: Case, seconds: number): Promise<Round> {
  const before = cpuSeconds() ?? Number.NaN;
  const measure = await run(seconds);
  const used = (cpuSeconds() ?? Number.NaN) - before;
  const perSecond = measure.perSecond * each;
  return { ...measure, perSecond, cpuMicros: (used * 1e6) / (perSecond * measure.seconds) };
}

function add(measured: Map<string, Round[]>, name: string, round: Round): void {
  measured.set(name, [...(measured.get(name) ?? []), round]);
}
