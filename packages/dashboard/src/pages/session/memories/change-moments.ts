/** The moments at which what is held changed: between two of them nothing differs. */
import type { Memory } from '@commonplace/client';

type Held = Pick<Memory, 'id' | 'createdAt' | 'expiresAt' | 'supersededAt' | 'meta'>;

/** Each once, the oldest first. An edit is none: at every moment a memory is listed with the text that it has now. */
export function momentsOf(memories: Iterable<Held>, nowMs: number): number[] {
  const moments = new Set<number>();
  for (const { createdAt, expiresAt, supersededAt } of memories) {
    moments.add(Date.parse(createdAt));
    const ends = [expiresAt, supersededAt].flatMap((end) => (end ? [Date.parse(end)] : []));
    if (ends.length > 0) moments.add(Math.min(...ends));
  }
  return [...moments].filter((moment) => moment <= nowMs).sort((a, b) => a - b);
}

/** The stops of the slider: before the first change, and after each; the last of them is now. */
export function stopsOf(moments: readonly number[], startMs: number): number[] {
  const [first] = moments;
  return [first === undefined ? startMs : Math.min(startMs, first - 1), ...moments];
}

export function stopAt(stops: readonly number[], timeMs: number): number {
  return Math.max(
    0,
    stops.findLastIndex((stop) => stop <= timeMs),
  );
}

/**
 * All memories that ever held, as far as `mostLooks` tell. What a memory took the place of is in the list of the moment before it.
 * What ended without a successor is found on the way, or by the looks that are left.
 */
export async function readEverHeld<Some extends Held>(
  now: readonly Some[],
  mostLooks: number,
  listAt: (time: string) => Promise<readonly Some[]>,
): Promise<Some[]> {
  const known = new Map(now.map((memory) => [memory.id, memory]));
  const looked = new Set<number>();
  for (let looks = 0; looks < mostLooks; looks++) {
    const before = nextLook(known.values(), looked);
    if (before === undefined) break;
    looked.add(before);
    for (const memory of await listAt(new Date(before - 1).toISOString())) known.set(memory.id, memory);
  }
  return [...known.values()];
}

function nextLook(memories: Iterable<Held>, looked: ReadonlySet<number>): number | undefined {
  const open = [...memories]
    .map((memory) => ({ at: Date.parse(memory.createdAt), replaces: hasFormer(memory) }))
    .filter(({ at }) => !looked.has(at))
    .sort((a, b) => Number(b.replaces) - Number(a.replaces) || b.at - a.at);
  return open[0]?.at;
}

function hasFormer({ meta }: Held): boolean {
  return typeof meta === 'object' && meta !== null && 'history' in meta && Array.isArray(meta.history) && meta.history.length > 0;
}
