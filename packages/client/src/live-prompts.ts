/** Lets the cache of prompts know of changes when they happen, by events. */
import type { PromptCache } from './prompt-cache.ts';
import type { Events } from './resources/events.ts';
import type { Logger } from './settings.ts';

const types = [
  ...['prompt.created', 'prompt.updated', 'prompt.promoted', 'prompt.deleted'],
  ...['prompt_version.created', 'prompt_version.updated', 'prompt_version.deleted'],
];

export class LivePrompts {
  readonly #cache: PromptCache;
  readonly #logger: Logger;
  readonly #closing = new AbortController();
  readonly #watched = new Set<string>();

  constructor(cache: PromptCache, logger: Logger) {
    this.#cache = cache;
    this.#logger = logger;
  }

  /** One stream for each workspace, from the first time on. */
  watch(scope: string, events: Events): void {
    if (this.#watched.has(scope)) return;
    this.#watched.add(scope);
    void this.#follow(scope, events);
  }

  close(): void {
    this.#closing.abort();
  }

  async #follow(scope: string, events: Events): Promise<void> {
    const outdate = () => this.#cache.outdate(scope);
    try {
      // What was read before the stream began may have changed before it, too.
      for await (const _ of events.follow({ types, signal: this.#closing.signal, onConnect: outdate })) outdate();
    } catch (error) {
      this.#logger.warn?.(`Prompts are not told of changes, and read again after maxAgeMs only: ${(error as Error).message}`);
    }
  }
}
