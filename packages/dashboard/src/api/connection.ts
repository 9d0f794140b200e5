/** Whether the service answers. While it does not, one question is asked again and again, and all else keeps what it shows. */
import { useSyncExternalStore } from 'react';
import { client } from './client.ts';

const ASK_EVERY_MS = 3_000;

class Connection {
  #lost = false;
  #doubted = false;
  #asked = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #regained = new Set<() => void>();

  readonly isLost = (): boolean => this.#lost;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Called when it answers again. */
  onRegained(listener: () => void): void {
    this.#regained.add(listener);
  }

  /** An answer that may be of one request alone: lost only where the smallest question has none either. */
  async doubt(): Promise<void> {
    if (this.#lost || this.#doubted) return;
    this.#doubted = true;
    try {
      await client.auth.status({ maxRetries: 0 });
    } catch {
      if (this.#doubted) this.lose();
    } finally {
      this.#doubted = false;
    }
  }

  lose(): void {
    if (this.#lost) return;
    this.#lost = true;
    this.#tell(this.#listeners);
    this.#ask();
  }

  regain(): void {
    this.#doubted = false;
    if (!this.#lost) return;
    this.#lost = false;
    clearTimeout(this.#timer);
    this.#tell(this.#listeners);
    this.#tell(this.#regained);
  }

  /** The browser knows first that its network went away, or came back: nobody should wait for a request to find out. */
  watch(network: EventTarget): void {
    network.addEventListener('offline', () => this.lose());
    network.addEventListener('online', () => this.#askNow());
  }

  #ask(): void {
    this.#timer = setTimeout(() => this.#askNow(), ASK_EVERY_MS);
  }

  #askNow(): void {
    clearTimeout(this.#timer);
    if (!this.#lost) return;
    const asked = ++this.#asked;
    client.auth.status({ maxRetries: 0 }).then(
      () => this.regain(),
      // One that was asked before the network came back may fail late: the last one goes on.
      () => this.#lost && asked === this.#asked && this.#ask(),
    );
  }

  #tell(listeners: Iterable<() => void>): void {
    for (const listener of listeners) listener();
  }
}

export const connection = new Connection();

export function useConnectionLost(): boolean {
  return useSyncExternalStore(connection.subscribe, connection.isLost);
}
