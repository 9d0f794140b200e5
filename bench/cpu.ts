/** The processor time that a process has used, all its threads together. */
import { readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** In seconds; undefined where the system has no /proc. */
export function cpuSecondsOf(pid: number): number | undefined {
  return secondsIn(`/proc/${pid}/stat`);
}

/** Of the main thread alone, on which requests are served. */
export function mainThreadSecondsOf(pid: number): number | undefined {
  return secondsIn(`/proc/${pid}/task/${pid}/stat`);
}

function secondsIn(file: string): number | undefined {
  try {
    // The second field is a name in brackets and may hold anything.
    const fields = readFileSync(file, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return undefined;
  }
}
