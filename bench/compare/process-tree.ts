/** A process with those that it has started: how much memory they hold and how much processor time they have used. */
import { execFileSync } from 'node:child_process';
import { cpuSecondsOf } from '../cpu.ts';

export interface ListedProcess {
  readonly pid: number;
  readonly parent: number;
  readonly residentBytes: number;
}

/** The lines of `ps -o pid=,ppid=,rss=`, the last in KiB. */
export function parseProcesses(text: string): ListedProcess[] {
  return text
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter((fields) => fields.length === 3 && fields.every(Number.isFinite))
    .map(([pid, parent, kib]) => ({ pid, parent, residentBytes: (kib as number) * 1024 }) as ListedProcess);
}

/** The given ones and their children, to any depth, each once. */
export function treesOf(all: readonly ListedProcess[], roots: readonly number[]): ListedProcess[] {
  const found = new Set<number>(roots);
  for (let size = 0; size < found.size; ) {
    size = found.size;
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
  }
  return all.filter(({ pid }) => found.has(pid));
}

export function listTrees(roots: readonly number[]): ListedProcess[] {
  return treesOf(parseProcesses(execFileSync('ps', ['-axo', 'pid=,ppid=,rss='], { encoding: 'utf8' })), roots);
}

/** Undefined where the system does not tell. */
export function cpuSecondsOfTrees(roots: readonly number[]): number | undefined {
  const used = listTrees(roots).map(({ pid }) => cpuSecondsOf(pid));
  return used.some((seconds) => seconds === undefined) ? undefined : used.reduce<number>((sum, seconds) => sum + (seconds ?? 0), 0);
}

export function residentBytesOfTrees(roots: readonly number[]): number {
  return listTrees(roots).reduce((sum, { residentBytes }) => sum + residentBytes, 0);
}
