/** Several segments of a scope as one, or one without some of its items. */
import { ID_WORDS, idKindOf, OTHER_ID, OTHER_ORDER, orderKindOf } from '../ranking/id-codes.ts';
import type { Steps } from '../slices.ts';
import { copyItem, type ItemColumns, newItemColumns } from './item-pages.ts';
import { UnusableSegment } from './pages.ts';
import { MOST_ITEMS, type SegmentContents, type TermEntries } from './segment.ts';

/** A segment, and 1 for each slot that is kept. */
export interface MergedSegment {
  readonly contents: SegmentContents;
  readonly kept: Uint8Array;
}

const GONE = -1;

/** The items of the first come first, each segment's in its order. Nothing of what is not kept is in the result: no word, tag, name or vector. */
export function* mergeSegments(parts: readonly [MergedSegment, ...MergedSegment[]]): Steps<SegmentContents> {
  const { profile, model } = parts[0].contents;
  const dimensions = Math.max(...parts.map(({ contents }) => contents.vectors.dimensions));
  const newSlots: Int32Array[] = [];
  let count = 0;
  for (const { contents, kept } of parts) {
    if (contents.profile !== profile || contents.model !== model) throw new UnusableSegment('segments of several scopes');
    if (contents.vectors.dimensions !== dimensions && contents.vectors.dimensions !== 0)
      throw new UnusableSegment('vectors of several models');
    const slots = new Int32Array(kept.length).fill(GONE);
    for (let slot = 0; slot < kept.length; slot++) if (kept[slot] === 1) slots[slot] = count++;
    newSlots.push(slots);
  }
  if (count > MOST_ITEMS) throw new RangeError(`A segment holds ${MOST_ITEMS} items at most`);
  const items = newItemColumns(count);
  const [threads, speakers, strings] = [new Numbering(), new Numbering(), new Numbering()];
  const scales = new Float32Array(count);
  const rows = new Int8Array(count * dimensions);
  for (const [part, { contents }] of parts.entries()) {
    for (const [slot, to] of (newSlots[part] as Int32Array).entries()) {
      if (to === GONE) continue;
      copyItem(contents.items, slot, items, to);
      items.threads[to] = threads.numberOf(contents.threads[contents.items.threads[slot] as number] as string);
      const speaker = contents.items.speakers[slot] as number;
      if (speaker > 0) items.speakers[to] = speakers.numberOf(contents.speakers[speaker - 1] as string) + 1;
      renumberStrings(contents, slot, items, to, strings);
      const scale = contents.vectors.scales[slot] ?? 0;
      if (scale > 0) {
        scales[to] = scale;
        rows.set(contents.vectors.rows.subarray(slot * dimensions, (slot + 1) * dimensions), to * dimensions);
      }
      yield;
    }
  }
  const merged = (terms: (contents: SegmentContents) => Iterable<TermEntries>) =>
    mergeTerms(
      parts.map(({ contents }) => terms(contents)),
      newSlots,
    );
  return {
    profile,
    model,
    items,
    threads: threads.names,
    speakers: speakers.names,
    strings: strings.names,
    vectors: { dimensions: scales.some((scale) => scale > 0) ? dimensions : 0, scales, rows },
    words: () => merged((contents) => contents.words()),
    tags: () => merged((contents) => contents.tags()),
  };
}

/** Strings of which each has a number, in the order in which they come. */
class Numbering {
  readonly names: string[] = [];
  readonly #numbers = new Map<string, number>();

  numberOf(name: string): number {
    let number = this.#numbers.get(name);
    if (number === undefined) {
      number = this.names.length;
      this.#numbers.set(name, number);
      this.names.push(name);
    }
    return number;
  }
}

function renumberStrings(
  { items: from, strings }: SegmentContents,
  slot: number,
  to: ItemColumns,
  toSlot: number,
  numbering: Numbering,
): void {
  const kind = from.idKinds[slot] as number;
  if (idKindOf(kind) === OTHER_ID) to.ids[toSlot * ID_WORDS] = numbering.numberOf(strings[from.ids[slot * ID_WORDS] as number] as string);
  if (orderKindOf(kind) === OTHER_ORDER) to.orders[toSlot] = numbering.numberOf(strings[from.orders[slot] as number] as string);
}

interface Cursor {
  readonly part: number;
  readonly rest: Iterator<TermEntries>;
  current: TermEntries;
}

/** Terms that several have become one, in the order of the segments, which is that of the new slots. */
function* mergeTerms(lists: readonly Iterable<TermEntries>[], newSlots: readonly Int32Array[]): Generator<TermEntries, void, void> {
  let cursors: Cursor[] = lists.flatMap((terms, part) => {
    const rest = terms[Symbol.iterator]();
    const first = rest.next();
    return first.done ? [] : [{ part, rest, current: first.value }];
  });
  while (cursors.length > 0) {
    let { term } = (cursors[0] as Cursor).current;
    for (const { current } of cursors) if (current.term < term) term = current.term;
    const having = cursors.filter(({ current }) => current.term === term);
    yield {
      term,
      each: (take) => {
        for (const { part, current } of having) {
          const slots = newSlots[part] as Int32Array;
          current.each((slot, weight) => {
            const to = slots[slot] as number;
            if (to !== GONE) take(to, weight);
          });
        }
      },
    };
    for (const cursor of having) {
      const next = cursor.rest.next();
      if (next.done) cursors = cursors.filter((one) => one !== cursor);
      else cursor.current = next.value;
    }
  }
}
