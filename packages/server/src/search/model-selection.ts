/** Which model a search goes by: the configured one, and the former one where the configured one has not come yet. */
import type { Clock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import type { Embedder } from './embedding/embedder.ts';
import { modelState } from './model-switch.ts';
import type { ScopeSource } from './scope-source.ts';

/** So few are embedded before a search anyway: the scope counts as done. */
const MOST_MISSING = 64;
/** How long a scope that was not done goes without another look. */
const LOOK_AGAIN_MS = 5_000;
const MOST_REMEMBERED = 5_000;

export interface FormerModel {
  readonly db: Database;
  readonly clock: Clock;
  readonly embedder: Embedder;
}

export class ModelSelection {
  readonly current: Embedder;
  #former: FormerModel | undefined;
  readonly #done = new Set<string>();
  readonly #notDone = new Map<string, number>();
  #completeLookedAtMs = 0;

  constructor(current: Embedder) {
    this.current = current;
  }

  /** Until everything has vectors of the current model, what has not goes by this one. */
  serveFormer(former: FormerModel): void {
    this.#former = former;
  }

  embedderOf({ model }: ScopeSource): Embedder {
    return model === this.#former?.embedder.model ? this.#former.embedder : this.current;
  }

  /** The scope as the model sees it that is to be searched by. */
  async choose(sourceOf: (model: string) => ScopeSource): Promise<ScopeSource> {
    const source = sourceOf(this.current.model);
    const former = this.#former;
    if (!former || (await this.#isDone(source, former))) return source;
    return sourceOf(former.embedder.model);
  }

  async close(): Promise<void> {
    await this.current.close();
    await this.#former?.embedder.close();
  }

  async #isDone(source: ScopeSource, { db, clock }: FormerModel): Promise<boolean> {
    if (this.#done.has(source.key)) return true;
    const nowMs = clock.nowMs();
    if (nowMs - this.#completeLookedAtMs >= LOOK_AGAIN_MS) {
      this.#completeLookedAtMs = nowMs;
      if ((await modelState(db))?.isComplete) this.#forgetFormer();
    }
    if (!this.#former) return true;
    if (nowMs - (this.#notDone.get(source.key) ?? Number.NEGATIVE_INFINITY) < LOOK_AGAIN_MS) return false;
    const isDone = (await source.missingVectors()) <= MOST_MISSING;
    this.#notDone.delete(source.key);
    if (isDone) remember(() => this.#done.add(source.key), this.#done);
    else remember(() => this.#notDone.set(source.key, nowMs), this.#notDone);
    return isDone;
  }

  #forgetFormer(): void {
    const former = this.#former;
    this.#former = undefined;
    this.#done.clear();
    this.#notDone.clear();
    // A search that was begun with it goes on by words.
    void former?.embedder.close().catch(() => undefined);
  }
}

function remember(add: () => void, held: Set<string> | Map<string, number>): void {
  const [oldest] = held.keys();
  if (held.size >= MOST_REMEMBERED && oldest !== undefined) held.delete(oldest);
  add();
}
