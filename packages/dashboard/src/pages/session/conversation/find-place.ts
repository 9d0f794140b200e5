import { timeOfId } from './message-ids.ts';

/** A message whose place is known, or an end of the list. */
export interface Landmark {
  readonly at: number;
  readonly id: string;
}

interface Between {
  readonly total: number;
  /** Known places, in their order; the fewer questions are needed. */
  readonly known: readonly Landmark[];
  /** Reads some messages from a place on, in their order. */
  readonly read: (offset: number) => Promise<readonly { readonly id: string }[]>;
}

/**
 * The place of a message in a list ordered by id, of which only parts are known: -1 where it is not in the list.
 * Looks where its time says, as messages may be spread evenly; every second look halves what is left, as they may not be.
 */
export async function findPlace(id: string, { total, known, read }: Between): Promise<number> {
  let low: Landmark = { at: -1, id: '' };
  let high: Landmark = { at: total, id: 'g' };
  for (const landmark of known) {
    if (landmark.id === id) return landmark.at;
    if (landmark.id < id && landmark.at > low.at) low = landmark;
    if (landmark.id > id && landmark.at < high.at) high = landmark;
  }
  for (let looks = 0; high.at - low.at > 1; looks++) {
    const middle = Math.floor((low.at + high.at) / 2);
    const guess = looks % 2 === 0 ? guessPlace(timeOfId(id), low, high) : middle;
    const at = Math.min(Math.max(guess, low.at + 1), high.at - 1);
    const page = await read(at);
    if (page.length === 0) {
      // Others deleted meanwhile: the list ends before.
      high = { at, id: high.id };
      continue;
    }
    const found = page.findIndex((message) => message.id === id);
    if (found >= 0) return at + found;
    const first = page[0]?.id ?? '';
    const last = page.at(-1)?.id ?? '';
    if (first > id) high = { at, id: first };
    else if (last < id) low = { at: at + page.length - 1, id: last };
    else return -1;
  }
  return -1;
}

function guessPlace(timeMs: number, low: Landmark, high: Landmark): number {
  const middle = Math.floor((low.at + high.at) / 2);
  if (low.at < 0 || high.id === 'g') return middle;
  const from = timeOfId(low.id);
  const to = timeOfId(high.id);
  return to > from ? Math.floor(low.at + ((high.at - low.at) * (timeMs - from)) / (to - from)) : middle;
}
