/** A target that knows for how long it has been asked without an answer: a folder of a machine that is gone may never give one. */
import type { BackupEvent } from './protocol.ts';
import type { StoredObject, Target } from './target.ts';

const MOST_SILENT_MS = 60_000;

export class WatchedTarget implements Target {
  readonly #target: Target;
  /** When each question was asked that has no answer yet, the oldest first. */
  readonly #asked = new Set<{ readonly sinceMs: number }>();

  readonly #note: (event: BackupEvent) => void;
  #wasSilent = false;

  constructor(target: Target, note: (event: BackupEvent) => void) {
    this.#target = target;
    this.#note = note;
  }

  /** Noted once for each time that it begins. */
  isSilent(): boolean {
    const [oldest] = this.#asked;
    const isSilent = oldest !== undefined && performance.now() - oldest.sinceMs > MOST_SILENT_MS;
    if (isSilent && !this.#wasSilent) {
      const fields = { reason: 'The target has not answered for a minute' };
      this.#note({ level: 'warn', message: 'The continuous backup fails', fields });
    }
    this.#wasSilent = isSilent;
    return isSilent;
  }

  put(name: string, bytes: Uint8Array): Promise<void> {
    return this.#watch(this.#target.put(name, bytes));
  }

  get(name: string): Promise<Buffer | undefined> {
    return this.#watch(this.#target.get(name));
  }

  async *list(folder: string, after?: string): AsyncIterable<StoredObject> {
    const objects = this.#target.list(folder, after)[Symbol.asyncIterator]();
    for (let next = await this.#watch(objects.next()); !next.done; next = await this.#watch(objects.next())) yield next.value;
  }

  listFolders(): Promise<string[]> {
    return this.#watch(this.#target.listFolders());
  }

  remove(names: readonly string[]): Promise<void> {
    return this.#watch(this.#target.remove(names));
  }

  async #watch<T>(answer: Promise<T>): Promise<T> {
    const question = { sinceMs: performance.now() };
    this.#asked.add(question);
    try {
      return await answer;
    } finally {
      this.#asked.delete(question);
    }
  }
}
