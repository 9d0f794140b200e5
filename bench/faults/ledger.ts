/** What was sent and what was acknowledged of it, held against what there is in the end. */

export interface Line {
  readonly content: string;
  /** A word that nothing else has. */
  readonly word: string;
}

/** Lines that were sent in one request: all are there or none. */
export interface Entry {
  readonly writer: string;
  readonly lines: readonly Line[];
  /** How many had been acknowledged when it was sent, of whichever writer: it has to come after all of them. */
  readonly after: number;
  /** Once it is acknowledged, the ids in the order of the lines. */
  ids: readonly string[] | undefined;
}

export interface Findings {
  readonly acknowledged: number;
  /** Lines whose outcome was never known. */
  readonly unknown: number;
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  readonly disordered: readonly string[];
}

export class Ledger {
  readonly entries: Entry[] = [];
  /** In the order of the acknowledgements. */
  readonly acknowledged: Entry[] = [];

  send(writer: string, lines: readonly Line[]): Entry {
    const entry: Entry = { writer, lines, after: this.acknowledged.length, ids: undefined };
    this.entries.push(entry);
    return entry;
  }

  acknowledge(entry: Entry, ids: readonly string[]): void {
    entry.ids = ids;
    this.acknowledged.push(entry);
  }

  /** `found`: everything that is there now, oldest first. */
  judge(place: string, found: readonly { readonly id: string; readonly content: string }[]): Findings {
    const positions = new Map<string, number[]>();
    for (const [position, { content }] of found.entries()) {
      const before = positions.get(content);
      if (before) before.push(position);
      else positions.set(content, [position]);
    }
    const lost: string[] = [];
    const disordered: string[] = [];
    // Of as many as were acknowledged by then, where the last one stands.
    const lastOf = [-1];
    for (const { lines, ids, after } of this.acknowledged) {
      let before = lastOf[after] as number;
      let last = lastOf.at(-1) as number;
      for (const [index, { content }] of lines.entries()) {
        const position = positions.get(content)?.[0];
        if (position === undefined || found[position]?.id !== ids?.[index]) {
          lost.push(`${place}: ‘${content}’ was acknowledged as ${ids?.[index]}`);
          continue;
        }
        if (position < before) disordered.push(`${place}: ‘${content}’ stands before what was acknowledged before it was sent`);
        before = Math.max(before, position);
        last = Math.max(last, position);
      }
      lastOf.push(last);
    }
    const doubled = [...positions]
      .filter(([, { length }]) => length > 1)
      .map(([content, { length }]) => `${place}: ‘${content}’ ${length} times`);
    for (const { ids, lines } of this.entries) {
      const there = lines.filter(({ content }) => positions.has(content)).length;
      if (ids === undefined && there > 0 && there < lines.length) lost.push(`${place}: ‘${lines[0]?.content}’ is there by halves`);
    }
    const sent = new Set(this.entries.flatMap(({ lines }) => lines.map(({ content }) => content)));
    for (const content of positions.keys()) if (!sent.has(content)) doubled.push(`${place}: ‘${content}’ was never sent`);
    const count = (entries: readonly Entry[]) => entries.reduce((sum, { lines }) => sum + lines.length, 0);
    return {
      acknowledged: count(this.acknowledged),
      unknown: count(this.entries.filter(({ ids }) => ids === undefined)),
      lost,
      doubled,
      disordered,
    };
  }
}
