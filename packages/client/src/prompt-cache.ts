/** Prompts that were read: served at once while they are asked for again in the background, unless they are known to have changed. */
import { unlessAborted } from './retries.ts';
import type { PromptVersion } from './types.ts';

const MOST_PROMPTS = 500;
/** Of all contents together. */
const MOST_CHARACTERS = 8_000_000;
/** After a read that failed: so long nobody waits for another try. */
const PAUSE_AFTER_FAILURE_MS = 5_000;

/** What the service answered; `undefined` where the version that the tag names still holds. */
export interface ReadPrompt {
  readonly version: PromptVersion | undefined;
  readonly etag: string | undefined;
}

export interface PromptReader {
  /** What is told to be outdated together: the prompts of a workspace. */
  readonly scope: string;
  readonly maxAgeMs: number;
  /** For another one in place of what is outdated. */
  readonly waitMs: number;
  /** Who has something else to use does not wait once a read has failed. */
  readonly hasFallback: boolean;
  read(etag: string | undefined): Promise<ReadPrompt>;
  /** Whether the service could not be reached. Any other failure says something of the prompt: what is kept is used no more. */
  isDown(error: unknown): boolean;
}

interface Entry {
  version?: PromptVersion;
  etag?: string | undefined;
  readAtMs: number;
  /** How often its scope was outdated before it was asked for. */
  epoch: number;
  failure?: { readonly error: unknown; readonly atMs: number; readonly epoch: number } | undefined;
  inFlight?: { readonly version: Promise<PromptVersion>; readonly epoch: number } | undefined;
}

export class PromptCache {
  /** In the order of their last use. */
  readonly #entries = new Map<string, Entry>();
  /** How often each scope was outdated. */
  readonly #epochs = new Map<string, number>();
  #characters = 0;
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** From now on what is kept of a scope is asked for before it is used. */
  outdate(scope: string): void {
    this.#epochs.set(scope, this.#epochOf(scope) + 1);
  }

  /** A fresh one at once; a stale one at once too, while it is read again; none, or one that is outdated: what the service answers. */
  async get(key: string, reader: PromptReader, signal: AbortSignal | undefined): Promise<PromptVersion> {
    const entry = this.#entries.get(key) ?? { readAtMs: Number.NEGATIVE_INFINITY, epoch: 0 };
    this.#use(key, entry);
    const nowMs = this.#now();
    const { version, failure } = entry;
    const epoch = this.#epochOf(reader.scope);
    const isOutdated = entry.epoch < epoch;
    if (version && !isOutdated && nowMs - entry.readAtMs < reader.maxAgeMs) return version;
    if (!version && !(failure && reader.hasFallback)) return unlessAborted(this.#readSince(epoch, key, entry, reader), signal);
    // What fails is tried again by whoever comes later. Who tells of a change can be reached again.
    const rests = failure !== undefined && failure.epoch >= epoch && nowMs - failure.atMs < PAUSE_AFTER_FAILURE_MS;
    if (version && isOutdated && !rests) return unlessAborted(this.#replace(version, epoch, key, entry, reader), signal);
    // Nobody waits for it.
    if (!rests) this.#refresh(key, entry, reader).catch(() => undefined);
    if (version) return version;
    throw failure?.error;
  }

  #epochOf(scope: string): number {
    return this.#epochs.get(scope) ?? 0;
  }

  /** What the service answers, or what is kept where that takes too long or the service can’t be reached. */
  #replace(kept: PromptVersion, epoch: number, key: string, entry: Entry, reader: PromptReader): Promise<PromptVersion> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        // Nor does anybody else wait for it.
        entry.failure = { error: undefined, atMs: this.#now(), epoch };
        resolve(kept);
      }, reader.waitMs);
      this.#readSince(epoch, key, entry, reader)
        .then(resolve, (error) => (reader.isDown(error) ? resolve(kept) : reject(error)))
        .finally(() => clearTimeout(timer));
    });
  }

  /** By a request that began since then. */
  async #readSince(epoch: number, key: string, entry: Entry, reader: PromptReader): Promise<PromptVersion> {
    if (entry.inFlight && entry.inFlight.epoch < epoch) await entry.inFlight.version.catch(() => undefined);
    return this.#refresh(key, entry, reader);
  }

  /** One request for all who ask. */
  #refresh(key: string, entry: Entry, reader: PromptReader): Promise<PromptVersion> {
    if (!entry.inFlight) {
      const epoch = this.#epochOf(reader.scope);
      const version = this.#read(key, entry, epoch, reader).finally(() => {
        entry.inFlight = undefined;
      });
      entry.inFlight = { version, epoch };
    }
    return entry.inFlight.version;
  }

  async #read(key: string, entry: Entry, epoch: number, reader: PromptReader): Promise<PromptVersion> {
    try {
      const { version = entry.version, etag } = await reader.read(entry.etag);
      if (!version) throw new Error('There is nothing that could still hold');
      // One that was dropped meanwhile counts no more.
      if (this.#entries.get(key) === entry) this.#characters += version.content.length - (entry.version?.content.length ?? 0);
      Object.assign(entry, { version, etag: etag ?? entry.etag, readAtMs: this.#now(), epoch, failure: undefined });
      this.#shrink();
      return version;
    } catch (error) {
      entry.failure = { error, atMs: this.#now(), epoch };
      if (!reader.isDown(error) && this.#entries.get(key) === entry) this.#drop(key);
      throw error;
    }
  }

  #use(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    this.#shrink();
  }

  #shrink(): void {
    for (const key of this.#entries.keys()) {
      if (this.#entries.size <= MOST_PROMPTS && this.#characters <= MOST_CHARACTERS) return;
      this.#drop(key);
    }
  }

  #drop(key: string): void {
    this.#characters -= this.#entries.get(key)?.version?.content.length ?? 0;
    this.#entries.delete(key);
  }
}
