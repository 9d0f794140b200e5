/** After a start: the indexes that were used last are loaded again, before anybody asks for them. */
import type { Logger } from 'pino';
import type { Database } from '../../db/database.ts';
import { runInLane } from '../../lanes/current-lane.ts';
import { ScopeLost } from '../scope-lost.ts';
import type { Searcher } from '../searcher.ts';
import { memoryOf } from '../segments/snapshot-loader.ts';
import { type KeptSources, lastUsed, placeOf } from '../segments/store.ts';

const MOST_SCOPES = 200;
/** Of what the indexes may hold; the rest is for who asks meanwhile. */
const MEMORY_SHARE = 0.5;
const LONGEST_MS = 120_000;

export class WarmStart {
  readonly #db: Database;
  readonly #searcher: Searcher;
  readonly #sources: KeptSources;
  readonly #memoryBytes: number;
  readonly #log: Logger;
  readonly #stopping = new AbortController();
  #running: Promise<number> | undefined;

  constructor(db: Database, searcher: Searcher, sources: KeptSources, memoryBytes: number, log: Logger) {
    this.#db = db;
    this.#searcher = searcher;
    this.#sources = sources;
    this.#memoryBytes = memoryBytes;
    this.#log = log;
  }

  /** Returns at once. */
  start(): void {
    this.#running ??= this.run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** One after the other, as many as fit; gives how many. A failure costs the first searches their time, and nothing else. */
  async run(): Promise<number> {
    const untilMs = performance.now() + LONGEST_MS;
    let left = this.#memoryBytes * MEMORY_SHARE;
    let loaded = 0;
    for (const facts of await this.#lastUsed()) {
      if (this.#stopping.signal.aborted || performance.now() > untilMs) break;
      const bytes = memoryOf(facts, this.#searcher.indexes.limits);
      if (bytes > left || facts.model !== this.#searcher.embedder.model) continue;
      try {
        const source = this.#sources[facts.kind](facts);
        // One that is about less than its facts tell is loaded when it is asked for.
        if (placeOf(source).scope !== facts.scope) continue;
        left -= bytes;
        await runInLane(facts.workspaceId, () => this.#searcher.warm(source));
        loaded++;
      } catch (error) {
        // What others need more was loaded meanwhile: then it is warm enough.
        if (error instanceof ScopeLost) break;
        this.#logFailure(error);
      }
    }
    return loaded;
  }

  async #lastUsed(): ReturnType<typeof lastUsed> {
    try {
      return await lastUsed(this.#db, MOST_SCOPES);
    } catch (error) {
      this.#logFailure(error);
      return [];
    }
  }

  #logFailure(error: unknown): void {
    if (!this.#stopping.signal.aborted) this.#log.warn({ err: error }, 'a search index could not be loaded ahead');
  }
}
