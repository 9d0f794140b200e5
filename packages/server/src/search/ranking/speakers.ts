/** Who speaks in a scope, learned from texts that begin with a name and a colon. */

/** One to three capitalised words: "Ann: …", "Dr. Müller: …", "Ann-Marie Smith: …". */
const NAME = /^\s*(\p{Lu}[\p{L}\p{M}'’.-]*(?: \p{Lu}[\p{L}\p{M}'’.-]*){0,2}):\s/u;
/** "Note:" or "Error:" also begin a line now and then; a speaker does so again and again. */
const LEAST_TEXTS = 2;
const LEAST_SHARE = 0.1;
/** Names that are looked for in a question, those of most texts first: an agent may have talked to everybody. */
const MOST_NAMES = 100;

interface Thread {
  texts: number;
  readonly names: Map<string, number>;
}

export class Speakers {
  readonly #threads = new Map<string, Thread>();
  #thread: (Thread | undefined)[] = [];
  #name: (string | undefined)[] = [];
  /** Worked out when they are next asked for. */
  #names: string[] | undefined;

  get bytes(): number {
    return 2 * 8 * this.#thread.length;
  }

  add(slot: number, thread: string, text: string): void {
    this.#names = undefined;
    let found = this.#threads.get(thread);
    if (!found) {
      found = { texts: 0, names: new Map() };
      this.#threads.set(thread, found);
    }
    found.texts++;
    const name = NAME.exec(text.slice(0, 80))?.[1];
    if (name !== undefined) found.names.set(name, (found.names.get(name) ?? 0) + 1);
    this.#thread[slot] = found;
    this.#name[slot] = name;
  }

  remove(slot: number): void {
    const thread = this.#thread[slot];
    const name = this.#name[slot];
    if (!thread) return;
    this.#names = undefined;
    thread.texts--;
    if (name !== undefined) thread.names.set(name, (thread.names.get(name) ?? 1) - 1);
    this.#thread[slot] = undefined;
    this.#name[slot] = undefined;
  }

  compact(newSlots: Int32Array): void {
    const [threads, names] = [this.#thread, this.#name];
    this.#thread = [];
    this.#name = [];
    for (const [slot, to] of newSlots.entries()) {
      if (to < 0) continue;
      this.#thread[to] = threads[slot];
      this.#name[to] = names[slot];
    }
    for (const [thread, { texts }] of this.#threads) if (texts === 0) this.#threads.delete(thread);
  }

  names(): string[] {
    this.#names ??= this.#commonNames();
    return this.#names;
  }

  #commonNames(): string[] {
    const texts = new Map<string, number>();
    for (const thread of this.#threads.values()) {
      for (const [name, count] of thread.names) {
        if (count >= LEAST_TEXTS && count >= thread.texts * LEAST_SHARE) texts.set(name, (texts.get(name) ?? 0) + count);
      }
    }
    const byTexts = [...texts].sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1));
    return byTexts
      .slice(0, MOST_NAMES)
      .map(([name]) => name)
      .sort();
  }
}
