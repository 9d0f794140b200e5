import { EventQuery, Events } from '@commonplace/contract/events';
import { narrowed, usersAndKeysByPart } from '../auth/access.ts';
import { timestamp } from '../clock.ts';
import type { Context } from '../context.ts';
import type { Api } from '../http/api.ts';
import type { Outbox } from '../outbox/distribution.ts';
import type { EventFeed } from './feed.ts';
import { describeEvents } from './resources.ts';
import { type EventReaderScope, readingSubjects, selectionOf, seqAfter } from './selection.ts';
import { countEvents, lastSeqOf, readEvents } from './store.ts';
import { followEvents } from './streaming.ts';

/** What changed: …/workspaces/{workspaceId}/events */
export function eventRoutes(api: Api, { db: root }: Context, outbox: Outbox, feed: EventFeed): void {
  api.tag('Events', 'What changed in a workspace, in order, to be read again or as it happens.');
  api.route({
    method: 'GET',
    path: '/workspaces/:workspaceId/events',
    name: 'listEvents',
    tag: 'Events',
    summary: 'List what changed, or follow it live',
    description:
      'Oldest first, of what the caller may read; `after` goes on from an event. With `Accept: text/event-stream` a stream of those that come, and with `Last-Event-ID` or `after` of those since: `id`, `event` (the type) and `data` (the event as JSON), and a comment every 15 seconds. Events are kept for 7 days unless the service is told otherwise.',
    access: narrowed(usersAndKeysByPart(readingSubjects)),
    query: EventQuery,
    answers: { status: 200, body: Events },
    handle: async ({ db, params: { workspaceId }, query, parts, agentIds, nowMs }) => {
      await outbox.distribute();
      const { after, cursor, limit, offset } = query;
      const afterSeq = after === undefined ? 0 : seqAfter(workspaceId, after, 'after');
      const selection = selectionOf({ workspaceId, subjects: parts, agentIds }, query, afterSeq);
      const page = cursor === undefined ? selection : { ...selection, afterSeq: seqAfter(workspaceId, cursor, 'cursor') };
      const [rows, total] = await Promise.all([
        // One more tells whether there is a next page.
        readEvents(db, workspaceId, page, limit + 1, offset),
        countEvents(db, workspaceId, selection),
      ]);
      const events = await describeEvents(db, { workspaceId, nowMs }, rows.slice(0, limit));
      const last = events.at(-1);
      return { events, _meta: { limit, offset, total, ...(last && rows.length > limit && { cursor: last.id }) } };
    },
    stream: async ({ params: { workspaceId }, query, parts, agentIds, request, nowMs }) => {
      const { 'last-event-id': lastId = query.after } = request.headers as { 'last-event-id'?: string };
      const since = lastId === undefined ? undefined : seqAfter(workspaceId, lastId, lastId === query.after ? 'after' : 'last-event-id');
      await outbox.distribute();
      const scope: EventReaderScope = { workspaceId, subjects: parts, agentIds };
      const selection = selectionOf(scope, query, since ?? (await lastSeqOf(root, workspaceId)));
      return (stream) => followEvents(stream, feed, workspaceId, selection, timestamp(nowMs));
    },
  });
}
