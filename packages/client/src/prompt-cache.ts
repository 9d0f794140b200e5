/** Prompts that were read: served at once while they are asked for again in the background. */
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
  readonly maxAgeMs: number;
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
  failure?: { readonly error: unknown; readonly atMs: number };
  inFlight?: Promise<PromptVersion> | undefined;
}

export class PromptCache {
  /** In the order of their last use. */
  readonly #entries = new Map<string, Entry>();
  #characters = 0;
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** A fresh one at once; a stale one at once too, while it is read again; none: what the service answers. */
  async get(key: string, reader: PromptReader, signal: AbortSignal | undefined): Promise<PromptVersion> {
    const entry = this.#entries.get(key) ?? { readAtMs: Number.NEGATIVE_INFINITY };
    this.#use(key, entry);
    const nowMs = this.#now();
    if (entry.version && nowMs - entry.readAtMs < reader.maxAgeMs) return entry.version;
    if (!entry.version && !(entry.failure && reader.hasFallback)) return unlessAborted(this.#refresh(key, entry, reader), signal);
    // Nobody waits for it, and what fails is tried again by whoever comes later.
    const rests = entry.failure !== undefined && nowMs - entry.failure.atMs < PAUSE_AFTER_FAILURE_MS;
    if (!rests) this.#refresh(key, entry, reader).catch(() => undefined);
    if (entry.version) return entry.version;
    throw entry.failure?.error;
  }

  /** One request for all who ask. */
  #refresh(key: string, entry: Entry, reader: PromptReader): Promise<PromptVersion> {
    entry.inFlight ??= this.#read(key, entry, reader).finally(() => {
      entry.inFlight = undefined;
    });
    return entry.inFlight;
  }

  async #read(key: string, entry: Entry, reader: PromptReader): Promise<PromptVersion> {
    try {
      const { version = entry.version, etag } = await reader.read(entry.etag);
      if (!version) throw new Error('There is nothing that could still hold');
      // One that was dropped meanwhile counts no more.
      if (this.#entries.get(key) === entry) this.#characters += version.content.length - (entry.version?.content.length ?? 0);
      Object.assign(entry, { version, etag: etag ?? entry.etag, readAtMs: this.#now(), failure: undefined });
      this.#shrink();
      return version;
    } catch (error) {
      entry.failure = { error, atMs: this.#now() };
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
