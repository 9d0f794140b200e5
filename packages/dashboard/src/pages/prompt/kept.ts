/** What people typed and did not save: kept in memory while the app is open, and the browser asks before it is closed. */
import { useSyncExternalStore } from 'react';
import { beforeLeaving } from '../../shell/leaving.ts';
import type { Values } from './template.ts';

class Kept<Value> {
  readonly #values = new Map<string, Value>();
  readonly #listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  all(): Value[] {
    return [...this.#values.values()];
  }

  set(key: string, value: Value | undefined): void {
    if (value === undefined) this.#values.delete(key);
    else this.#values.set(key, value);
    for (const listener of this.#listeners) listener();
  }

  clear(): void {
    this.#values.clear();
    for (const listener of this.#listeners) listener();
  }
}

/** Changes to a version that are not saved as a new one yet. */
export interface Draft {
  readonly promptId: string;
  readonly content: string;
  /** What changed, in words. */
  readonly message: string;
}

/** By the id of the version that was changed. */
export const drafts = new Kept<Draft>();
/** Values of variables, by the id of the prompt. */
export const promptValues = new Kept<Values>();

export function useKept<Value>(kept: Kept<Value>, key: string): Value | undefined {
  return useSyncExternalStore(kept.subscribe, () => kept.get(key));
}

export const hasDraft = (promptId: string): boolean => drafts.all().some((draft) => draft.promptId === promptId);

beforeLeaving(() => {
  drafts.clear();
  promptValues.clear();
});

window.addEventListener('beforeunload', (event) => {
  if (drafts.all().length > 0) event.preventDefault();
});
