/** A mixed load: who writes, reads, searches and promotes at once, until it is stopped. Everything sent is in a ledger. */
import { setTimeout as sleep } from 'node:timers/promises';
import { pick, type Random, randomOf } from '../soak/random.ts';
import type { Caller } from './caller.ts';
import type { Line } from './ledger.ts';
import type { Place, Places, Prompt } from './places.ts';

const SHARED_WRITERS = 3;
const READERS = 2;
const SEARCHERS = 2;
const BATCH = 3;
/** What was promoted is read so often: through several nodes. */
const LOOKS = 3;

export interface LoadOptions {
  readonly caller: Caller;
  readonly places: Places;
  readonly seed: number;
  /** Between two requests of one client. */
  readonly pauseMs: number;
}

export class Load {
  readonly #caller: Caller;
  readonly #places: Places;
  readonly #pauseMs: number;
  readonly #random: Random;
  #isOver = false;
  #running: readonly Promise<void>[] = [];

  constructor({ caller, places, seed, pauseMs }: LoadOptions) {
    this.#caller = caller;
    this.#places = places;
    this.#pauseMs = pauseMs;
    this.#random = randomOf(seed);
  }

  start(): void {
    const { own, shared, prompts, documents } = this.#places;
    const each = (count: number, work: (name: string) => () => Promise<void>, name: string) =>
      Array.from({ length: count }, (_, index) => this.#repeat(work(`${name}${index}`)));
    this.#caller.gaps.begin();
    this.#running = [
      ...own.map((place, index) => this.#repeat(this.#writer(place, `own${index}`))),
      ...each(SHARED_WRITERS, (name) => this.#writer(shared, name), 'shared'),
      ...prompts.map((prompt, index) => this.#repeat(this.#promoter(prompt, `prompt${index}`))),
      this.#repeat(this.#uploader(documents)),
      ...each(READERS, () => () => this.#read(), 'reader'),
      ...each(SEARCHERS, () => () => this.#search(), 'searcher'),
    ];
  }

  /** Lets everyone finish what they began: a request with a key is repeated until it has its answer. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#running);
  }

  async #repeat(work: () => Promise<void>): Promise<void> {
    while (!this.#isOver) {
      await work();
      await sleep(this.#pauseMs * (0.5 + this.#random()));
    }
  }

  /** One message with a key, one without, a batch with a key, one without, and so on. */
  #writer({ path, ledger }: Place, writer: string): () => Promise<void> {
    let count = 0;
    const line = (): Line => {
      const word = wordOf(writer, ++count);
      return { word, content: `${writer} says line ${count}: I prefer ${word} to tea.` };
    };
    let turn = 0;
    return async () => {
      const withKey = turn % 2 === 0;
      const isBatch = turn++ % 4 >= 2;
      const lines = Array.from({ length: isBatch ? BATCH : 1 }, line);
      const messages = lines.map(({ content }) => ({ role: 'user', content }));
      const entry = ledger.send(writer, lines);
      const question = {
        method: 'POST' as const,
        path: isBatch ? `${path}/messages/batch` : `${path}/messages`,
        body: isBatch ? { messages } : (messages[0] as object),
      };
      const kind = isBatch ? 'batch' : 'message';
      const key = `${writer}-${turn}`;
      const answer = await (withKey ? this.#caller.insist(kind, { ...question, key }) : this.#caller.ask(kind, question));
      if (answer?.status !== 201) return;
      const made = (isBatch ? answer.body.messages : [answer.body]) as { id: string }[];
      ledger.acknowledge(
        entry,
        made.map(({ id }) => id),
      );
    };
  }

  /** A new version goes to production, and is what everybody reads from then on. */
  #promoter({ path, byName, ledger }: Prompt, writer: string): () => Promise<void> {
    let count = 0;
    return async () => {
      const word = wordOf(writer, ++count);
      const entry = ledger.send(writer, [{ word, content: word }]);
      const body = { type: 'text', content: word };
      const made = await this.#caller.insist('promotion', { method: 'POST', path: `${path}/versions`, body, key: word });
      if (made?.status !== 201) return;
      ledger.acknowledge(entry, [made.body.id]);
      const promotion = { method: 'PUT' as const, path: `${path}/versions/${made.body.id}`, body: { production: true } };
      if ((await this.#caller.insist('promotion', promotion))?.status !== 200) return;
      for (let look = 0; look < LOOKS; look++) {
        const read = await this.#caller.ask('read', { path: `${byName}?version=production` });
        if (read?.status === 200 && read.body.id !== made.body.id)
          this.#caller.problem(`${byName}: ${word} was promoted, and ${read.body.content} is read`);
      }
    };
  }

  #uploader({ path, ledger }: Place): () => Promise<void> {
    let count = 0;
    return async () => {
      const word = wordOf('document', ++count);
      const title = `About ${word}`;
      const form = () => {
        const sent = new FormData();
        sent.append('title', title);
        sent.append('file', new Blob([`# ${title}\n\nNothing is known of ${word} yet.`]), 'notes.md');
        return sent;
      };
      const entry = ledger.send('uploader', [{ word, content: title }]);
      const made = await this.#caller.insist('document', { method: 'POST', path, body: form, key: word });
      if (made?.status === 201) ledger.acknowledge(entry, [made.body.id]);
    };
  }

  /** What was acknowledged before is there for whoever asks, at whichever node. */
  async #read(): Promise<void> {
    const found = this.#anyMessage();
    if (!found) return;
    const { path, id, line } = found;
    const answer = await this.#caller.ask('read', { path: `${path}/messages/${id}` });
    if (answer?.status === 200 && answer.body.content !== line.content) this.#caller.problem(`${path}/messages/${id} is another`);
  }

  async #search(): Promise<void> {
    const found = this.#anyMessage();
    if (!found) return;
    const { path, id, line } = found;
    const body = { query: line.word };
    const answer = await this.#caller.ask('search', { method: 'POST', path: `${path}/messages/search`, body });
    if (answer?.status === 200 && !answer.body.results.some((hit: { id: string }) => hit.id === id))
      this.#caller.problem(`${path}: ‘${line.content}’ was acknowledged and is not found by ‘${line.word}’`);
  }

  #anyMessage(): { readonly path: string; readonly id: string; readonly line: Line } | undefined {
    const { own, shared } = this.#places;
    const { path, ledger } = pick(this.#random, [...own, shared]);
    // Half of the time what was acknowledged last.
    const entry = this.#random() < 0.5 ? ledger.acknowledged.at(-1) : pick(this.#random, ledger.acknowledged);
    if (!entry?.ids) return undefined;
    const index = Math.floor(this.#random() * entry.lines.length);
    return { path, id: entry.ids[index] as string, line: entry.lines[index] as Line };
  }
}

/** One that no stemming and no splitting changes. */
function wordOf(writer: string, count: number): string {
  const letters = [...`${count}`].map((digit) => 'bcdfghjklm'[Number(digit)]).join('');
  const name = [...writer].map((character) => (/\d/.test(character) ? 'npqrtvwxyz'[Number(character)] : character)).join('');
  return `q${name}z${letters}q`;
}
