/** Callers in this process who work without a pause, each waiting for its turn to be done. */
import { CONNECTIONS, type Measure, measureOf } from './measure.ts';

export async function repeat(
  seconds: number,
  work: (turn: number, caller: number) => Promise<unknown>,
  callers = CONNECTIONS,
): Promise<Measure> {
  const latenciesMs: number[] = [];
  const startMs = performance.now();
  const endMs = startMs + seconds * 1000;
  let turn = 0;
  const call = async (_: unknown, caller: number) => {
    for (let beforeMs = startMs; beforeMs < endMs; ) {
      await work(turn++, caller);
      const nowMs = performance.now();
      latenciesMs.push(nowMs - beforeMs);
      beforeMs = nowMs;
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  return measureOf(latenciesMs, (performance.now() - startMs) / 1000);
}
