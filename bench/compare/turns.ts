/** What is done with one peer in its turn. It runs alone: it is started for its turn and ended after it, so that nothing is left to the background. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Processes } from '../processes.ts';
import { measureOnce } from '../rounds.ts';
import { BATCH, type Operation, type Peer, type Place, type RunningPeer, SIZES } from './peer.ts';
import { cpuSecondsOfTrees, listTrees, residentBytesOfTrees } from './process-tree.ts';
import { type Findings, labels, searchLabel } from './report.ts';

/** For each of them; who is slower has fewer. */
const FILL_SECONDS = 120;
const SETTLED_AT_ONCE = 5 * BATCH;
const IDLE_MS = 5_000;
const WARM_UP_SECONDS = 1;
const WARM_UP_TEXTS = 20;
const TEXTS_UNTIL_FOUND = 2 * BATCH;

/** Scopes with as many texts as there is time for, once; searches of all rounds go over them. */
export async function fillForSearches(peer: Peer, place: Place, findings: Findings): Promise<void> {
  await run(peer, place, async (running) => {
    for (const size of SIZES) {
      const endMs = performance.now() + FILL_SECONDS * 1000;
      let count = 0;
      while (count < size && performance.now() < endMs) {
        await running.fill(scopeOf(size), textsFrom(place, count, BATCH));
        count += BATCH;
        // What is left to the background is part of the time.
        if (count % SETTLED_AT_ONCE === 0) await running.settle();
      }
      await running.settle();
      findings.filled(peer, size, count);
      if (count < size) return;
    }
  });
}

/** From nothing: the start, memory, and then reads and writes. */
export async function measureEmpty(peer: Peer, place: Place, seconds: number, findings: Findings): Promise<void> {
  await run(peer, place, async (running) => {
    findings.started(peer, running.startSeconds);
    await sleep(IDLE_MS);
    findings.idle(peer, residentBytesOfTrees(running.pids));
    // What is measured next is not the loading of a model.
    await running.fill('reads', textsFrom(place, 0, WARM_UP_TEXTS));
    await running.settle();
    const untilFound = await measureOnce(
      { name: labels.found, cpuSeconds: () => cpuOf(running), run: () => fillAndSettle(running, place) },
      seconds,
    );
    findings.measured(peer, labels.found, untilFound);
    for (const operation of ['read', 'write', 'batch'] as const) {
      const label = labels[operation];
      if (operation !== 'batch') await running.measure(operation, 'reads', WARM_UP_SECONDS);
      findings.measured(peer, label, await measureOperation(running, operation, 'reads', seconds));
    }
  });
}

/** On what was filled before. */
export async function measureSearches(peer: Peer, place: Place, seconds: number, findings: Findings): Promise<void> {
  await run(peer, place, async (running) => {
    for (const size of SIZES) {
      if (findings.filledOf(peer, size) === undefined) continue;
      await running.measure('search', scopeOf(size), WARM_UP_SECONDS);
      findings.measured(peer, searchLabel(size), await measureOperation(running, 'search', scopeOf(size), seconds));
    }
  });
}

function measureOperation(running: RunningPeer, operation: Operation, scope: string, seconds: number) {
  return measureOnce(
    {
      name: operation,
      each: operation === 'batch' ? BATCH : 1,
      cpuSeconds: () => cpuOf(running),
      run: (time) => running.measure(operation, scope, time),
    },
    seconds,
  );
}

async function fillAndSettle(running: RunningPeer, place: Place) {
  const startMs = performance.now();
  for (let count = 0; count < TEXTS_UNTIL_FOUND; count += BATCH)
    await running.fill('reads', textsFrom(place, WARM_UP_TEXTS + count, BATCH));
  await running.settle();
  const seconds = (performance.now() - startMs) / 1000;
  return { seconds, perSecond: TEXTS_UNTIL_FOUND / seconds, p50Ms: Number.NaN, p99Ms: Number.NaN };
}

function cpuOf({ pids, standInPids }: RunningPeer): number | undefined {
  return cpuSecondsOfTrees([...pids, ...standInPids]);
}

function scopeOf(size: number): string {
  return `size-${size}`;
}

function textsFrom({ texts: { texts } }: Place, first: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => texts[(first + index) % texts.length] as string);
}

/** Ends all that was started, also what the peer has started itself. */
async function run(peer: Peer, place: Place, work: (running: RunningPeer) => Promise<void>): Promise<void> {
  const processes = new Processes();
  let pids: number[] = [];
  try {
    const running = await peer.start(processes, place);
    pids = listTrees(running.pids).map(({ pid }) => pid);
    await work(running);
  } finally {
    // What it complains of at its end is for other suites to look at.
    await processes[Symbol.asyncDispose]().catch((error) => console.error(`compare: ${error}`));
    for (const { pid } of pids.length > 0 ? listTrees(pids) : []) process.kill(pid, 'SIGKILL');
  }
}
