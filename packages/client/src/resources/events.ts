import { Following } from '../following.ts';
import type { PagePromise } from '../page.ts';
import type { RequestOptions } from '../transport.ts';
import type { Event, ListEventsQuery } from '../types.ts';
import { WorkspaceResource } from './resource.ts';

const events = '/workspaces/{workspaceId}/events';

/** `message.created`, …; all when absent or empty. */
type EventTypes = string | readonly string[];

export interface EventQuery extends Omit<ListEventsQuery, 'types'> {
  types?: EventTypes | undefined;
}

export interface FollowOptions {
  types?: EventTypes | undefined;
  /** Those of one session. */
  sessionId?: string | undefined;
  /** The `id` of the last event that is known: those since, and then those that come. Default: those that come. */
  after?: string | undefined;
  /** Ends it. */
  signal?: AbortSignal | undefined;
  /** Called each time that it is connected, the first time too. */
  onConnect?: (() => void) | undefined;
}

/** What changed in a workspace. */
export class Events extends WorkspaceResource {
  /** Oldest first. */
  list({ types, after, cursor = after, ...query }: EventQuery = {}, options?: RequestOptions): PagePromise<Event> {
    return this.listing(events, { key: 'events', query: { ...query, types: textOf(types), cursor } }, options);
  }

  /**
   * Those that come, until the loop over them ends or the signal is aborted. It connects again by itself, and goes on after the last
   * event that it gave. Throws what will not pass by itself: a key that may not read events, a workspace that is not there.
   */
  follow({ types, signal, onConnect, ...query }: FollowOptions = {}): AsyncIterableIterator<Event> {
    return new Following({
      open: (lastId, connection) => {
        const headers = { accept: 'text/event-stream', ...(lastId !== undefined && { 'last-event-id': lastId }) };
        return this.begin(events, { query: { ...query, types: textOf(types) }, headers }, connection);
      },
      timeoutMs: this.timeoutMs,
      signal,
      onConnect: () => onConnect?.(),
      onPause: (reason, waitMs) => this.warn(`GET ${events}: ${reason}; again in ${Math.round(waitMs)} ms`),
    });
  }
}

function textOf(types: EventTypes | undefined): string | undefined {
  return typeof types === 'string' ? types : types?.join(',');
}
