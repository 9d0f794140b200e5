/** What changed between two texts, as rows of a table: lines side by side, with the words that differ. */

export type ChangeKind = 'same' | 'added' | 'removed';

export interface Change {
  readonly kind: ChangeKind;
  readonly text: string;
}

/** The work grows with its square; beyond it all counts as removed and added, as the service has it. */
const MOST_LINE_EDITS = 1_000;
const MOST_WORD_EDITS = 300;
const MOST_WORDS = 2_000;

/** The shortest way from one list to another (Myers); undefined where it is longer than `mostEdits`. */
export function diffLists(from: readonly string[], to: readonly string[], mostEdits: number): readonly ChangeKind[] | undefined {
  let start = 0;
  while (start < from.length && start < to.length && from[start] === to[start]) start++;
  let [fromEnd, toEnd] = [from.length, to.length];
  while (fromEnd > start && toEnd > start && from[fromEnd - 1] === to[toEnd - 1]) {
    fromEnd--;
    toEnd--;
  }
  const middle = searchPath(from.slice(start, fromEnd), to.slice(start, toEnd), mostEdits);
  const same = (count: number) => Array.from({ length: count }, (): ChangeKind => 'same');
  return middle && [...same(start), ...middle, ...same(from.length - fromEnd)];
}

function searchPath(from: readonly string[], to: readonly string[], mostEdits: number): ChangeKind[] | undefined {
  const most = Math.min(from.length + to.length, mostEdits);
  const reach = new Int32Array(2 * most + 3);
  const middle = most + 1;
  const trace: Int32Array[] = [];
  for (let edits = 0; edits <= most; edits++) {
    trace.push(reach.slice());
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const [below, above] = [reach[middle + diagonal - 1] as number, reach[middle + diagonal + 1] as number];
      let x = diagonal === -edits || (diagonal !== edits && below < above) ? above : below + 1;
      while (x < from.length && x - diagonal < to.length && from[x] === to[x - diagonal]) x++;
      reach[middle + diagonal] = x;
      if (x >= from.length && x - diagonal >= to.length) return walkBack(trace, middle, from.length, to.length);
    }
  }
  return undefined;
}

function walkBack(trace: readonly Int32Array[], middle: number, fromLength: number, toLength: number): ChangeKind[] {
  const steps: ChangeKind[] = [];
  let [x, y] = [fromLength, toLength];
  for (let edits = trace.length - 1; edits >= 0; edits--) {
    const reach = trace[edits] as Int32Array;
    const diagonal = x - y;
    const down = diagonal === -edits || (diagonal !== edits && (reach[middle + diagonal - 1] ?? 0) < (reach[middle + diagonal + 1] ?? 0));
    const before = edits === 0 ? 0 : (reach[middle + diagonal + (down ? 1 : -1)] as number);
    const beforeY = edits === 0 ? 0 : before - (diagonal + (down ? 1 : -1));
    while (x > before && y > beforeY) {
      steps.push('same');
      x--;
      y--;
    }
    if (edits === 0) break;
    steps.push(down ? 'added' : 'removed');
    [x, y] = [before, beforeY];
  }
  return steps.reverse();
}

const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

const withoutEnd = (line: string): string => line.replace(/\n$/, '');

/** Line by line. A last line that misses its newline is the same line: only what it says counts. */
export function diffTexts(from: string, to: string): Change[] {
  const [before, after] = [linesOf(from), linesOf(to)];
  const kinds = diffLists(before.map(withoutEnd), after.map(withoutEnd), MOST_LINE_EDITS);
  if (!kinds)
    return [
      { kind: 'removed', text: from },
      { kind: 'added', text: to },
    ];
  let [x, y] = [0, 0];
  return kinds.map((kind) => {
    const text = (kind === 'added' ? after[y] : before[x]) ?? '';
    if (kind !== 'added') x++;
    if (kind !== 'removed') y++;
    return { kind, text };
  });
}

/** Of two texts whose lines are all the same. */
export const describeSame = (from: string, to: string): string =>
  from === to ? 'The content is the same.' : 'The lines are the same; only the newline at the end differs.';

export interface DiffPart {
  readonly text: string;
  readonly changed: boolean;
}

export interface DiffLine {
  readonly number: number;
  readonly parts: readonly DiffPart[];
}

export interface DiffRow {
  readonly changed: boolean;
  readonly before?: DiffLine;
  readonly after?: DiffLine;
}

export function rowsOf(changes: readonly Change[]): DiffRow[] {
  const rows: DiffRow[] = [];
  let [oldNumber, newNumber] = [0, 0];
  let removed: string[] = [];
  let added: string[] = [];
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++) {
      const [before, after] = [removed[at], added[at]];
      const words = before !== undefined && after !== undefined ? diffWords(before, after) : undefined;
      rows.push({
        changed: true,
        ...(before !== undefined && { before: { number: ++oldNumber, parts: words?.before ?? [{ text: before, changed: false }] } }),
        ...(after !== undefined && { after: { number: ++newNumber, parts: words?.after ?? [{ text: after, changed: false }] } }),
      });
    }
    removed = [];
    added = [];
  };
  for (const { kind, text } of changes) {
    const lines = linesOf(text).map((line) => line.replace(/\r?\n$/, ''));
    if (kind === 'removed') removed.push(...lines);
    if (kind === 'added') added.push(...lines);
    if (kind !== 'same') continue;
    flush();
    for (const line of lines) {
      const parts = [{ text: line, changed: false }];
      rows.push({ changed: false, before: { number: ++oldNumber, parts }, after: { number: ++newNumber, parts } });
    }
  }
  flush();
  return rows;
}

const wordsOf = (line: string): string[] => line.match(/\{\{[^{}]*\}\}|[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];

function diffWords(before: string, after: string): { before: DiffPart[]; after: DiffPart[] } | undefined {
  const [old, now] = [wordsOf(before), wordsOf(after)];
  if (old.length + now.length > MOST_WORDS) return undefined;
  const kinds = diffLists(old, now, MOST_WORD_EDITS);
  if (!kinds) return undefined;
  const parts = { before: [] as DiffPart[], after: [] as DiffPart[] };
  let [x, y] = [0, 0];
  for (const kind of kinds) {
    if (kind !== 'added') join(parts.before, old[x++] as string, kind === 'removed');
    if (kind !== 'removed') join(parts.after, now[y++] as string, kind === 'added');
  }
  parts.before = mergeGaps(parts.before);
  parts.after = mergeGaps(parts.after);
  // Where no word is left, marking all of them says nothing.
  return parts.before.some(({ text, changed }) => !changed && /[\p{L}\p{N}]/u.test(text)) ? parts : undefined;
}

function join(parts: DiffPart[], text: string, changed: boolean): void {
  const last = parts.at(-1);
  if (last?.changed === changed) parts[parts.length - 1] = { text: last.text + text, changed };
  else parts.push({ text, changed });
}

/** A space between two changed words is no word that stayed. */
function mergeGaps(parts: readonly DiffPart[]): DiffPart[] {
  const merged: DiffPart[] = [];
  for (const [at, { text, changed }] of parts.entries()) {
    const isGap = text.trim() === '' && parts[at - 1]?.changed === true && parts[at + 1]?.changed === true;
    join(merged, text, changed || isGap);
  }
  return merged;
}

/** Rows, and in the place of a long run without changes how many it hides. */
export type FoldedRow = { readonly row: DiffRow } | { readonly hidden: readonly DiffRow[] };

const LONGEST_SHOWN_RUN = 12;
const AROUND = 3;

export function foldRows(rows: readonly DiffRow[]): FoldedRow[] {
  const folded: FoldedRow[] = [];
  let run: DiffRow[] = [];
  const flush = (isLast: boolean) => {
    const head = folded.length === 0 ? 0 : AROUND;
    const tail = isLast ? 0 : AROUND;
    const hidden = run.length > LONGEST_SHOWN_RUN ? run.slice(head, run.length - tail) : [];
    const shown = (row: DiffRow) => ({ row });
    if (hidden.length === 0) folded.push(...run.map(shown));
    else folded.push(...run.slice(0, head).map(shown), { hidden }, ...run.slice(run.length - tail).map(shown));
    run = [];
  };
  for (const row of rows) {
    if (!row.changed) {
      run.push(row);
      continue;
    }
    flush(false);
    folded.push({ row });
  }
  flush(true);
  return folded;
}

export function countLines(rows: readonly DiffRow[]): { readonly added: number; readonly removed: number } {
  const changed = rows.filter((row) => row.changed);
  return { added: changed.filter(({ after }) => after).length, removed: changed.filter(({ before }) => before).length };
}
