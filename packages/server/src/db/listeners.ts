/** Who in this process wants to hear of invalidations. */
import type { Log } from '../logging.ts';

export type Listener = (payload: string) => void;

/** Every listener gets it when something may have been missed. */
export const EVERYTHING = '*';

export class Listeners {
  readonly #log: Log | undefined;
  readonly #byTopic = new Map<string, Listener[]>();

  constructor(log: Log | undefined) {
    this.#log = log;
  }

  add(topic: string, listener: Listener): void {
    const listeners = this.#byTopic.get(topic);
    if (listeners) listeners.push(listener);
    else this.#byTopic.set(topic, [listener]);
  }

  hear(topic: string, payload: string): void {
    for (const listener of this.#byTopic.get(topic) ?? []) this.#tell(listener, topic, payload);
  }

  hearEverything(): void {
    for (const topic of this.#byTopic.keys()) this.hear(topic, EVERYTHING);
  }

  /** One that fails keeps nothing from the others. */
  #tell(listener: Listener, topic: string, payload: string): void {
    try {
      listener(payload);
    } catch (error) {
      this.#log?.error({ err: error, topic }, 'a listener of invalidations failed');
    }
  }
}
