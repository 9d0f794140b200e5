import type { PagePromise } from '../page.ts';
import type { EventQuery, FollowOptions } from '../resources/events.ts';
import type { RequestOptions } from '../transport.ts';
import type { Event } from '../types.ts';
import type { AgentPlace } from './place.ts';

export class SessionEvents {
  readonly #place: AgentPlace;
  readonly #sessionId: string;

  constructor(place: AgentPlace, sessionId: string) {
    this.#place = place;
    this.#sessionId = sessionId;
  }

  /** Oldest first. */
  list(query: Omit<EventQuery, 'sessionId'> = {}, options?: RequestOptions): PagePromise<Event> {
    return this.#place.events.list({ ...query, sessionId: this.#sessionId }, options);
  }

  /** Those that come, until the loop over them ends or the signal is aborted. */
  follow(options: Omit<FollowOptions, 'sessionId'> = {}): AsyncIterableIterator<Event> {
    return this.#place.events.follow({ ...options, sessionId: this.#sessionId });
  }
}
