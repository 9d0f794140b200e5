/** A load on nodes that something is done to meanwhile, and what came of it. */
import { Caller } from './caller.ts';
import type { Gaps } from './gaps.ts';
import { type Judgement, judge } from './judging.ts';
import { Load } from './load.ts';
import type { Nodes } from './nodes.ts';
import { newPlaces } from './places.ts';

const OWN_SESSIONS = 4;
const PROMPTS = 2;

export interface FaultOptions {
  readonly nodes: Nodes;
  readonly seed: number;
  /** Between two requests of one client. */
  readonly pauseMs: number;
  /** What happens under load; when it is over, the load is. */
  readonly meanwhile: () => Promise<void>;
  /** Before anything is looked at: a test lets leases run out, others wait for it. */
  readonly beforeJudging?: () => Promise<void>;
  readonly drainWithinMs?: number;
}

export interface FaultReport extends Judgement {
  readonly seconds: number;
  readonly unanswered: number;
  readonly hung: number;
  readonly gaps: ReturnType<Gaps['end']>;
  /** In words, whatever must not be; empty when all is well. */
  readonly problems: readonly string[];
}

export async function runFaults(options: FaultOptions): Promise<FaultReport> {
  const { nodes, seed, pauseMs, meanwhile, beforeJudging, drainWithinMs = 300_000 } = options;
  const caller = new Caller(nodes.url, nodes.apiKey);
  const places = await newPlaces(caller, { own: OWN_SESSIONS, prompts: PROMPTS });
  const load = new Load({ caller, places, seed, pauseMs });
  const startMs = performance.now();
  load.start();
  await meanwhile();
  const gaps = caller.gaps.end();
  const seconds = (performance.now() - startMs) / 1000;
  caller.calmDown();
  await load.stop();
  const { unanswered, hung } = caller;
  await beforeJudging?.();
  const judgement = await judge(caller, places, drainWithinMs);
  const { lost, doubled, disordered, notFound } = judgement;
  const problems = [...caller.problems, ...lost, ...doubled, ...disordered, ...notFound];
  if (hung > 0) problems.push(`${hung} requests had no answer within a minute`);
  return { ...judgement, seconds, unanswered, hung, gaps, problems };
}
