import { z } from 'zod';
import { filter, Id, JsonValue, listOf, Page, pageOf, Time } from './wire.ts';

/** What an event is about, and what can happen to it. */
const happenings = {
  workspace: ['updated', 'imported'],
  member: ['added', 'updated', 'removed'],
  invite: ['created', 'accepted', 'rejected', 'deleted'],
  key: ['created', 'revoked'],
  agent: ['created', 'updated', 'deleted'],
  session: ['created', 'updated', 'deleted'],
  message: ['created', 'updated', 'deleted'],
  memory: ['created', 'updated', 'superseded', 'deleted'],
  prompt: ['created', 'updated', 'promoted', 'deleted'],
  prompt_version: ['created', 'updated', 'deleted'],
  document: ['created', 'replaced', 'indexed', 'failed', 'deleted'],
  webhook: ['created', 'updated', 'disabled', 'deleted', 'test'],
  subject: ['forgotten'],
} as const;

export type EventSubject = keyof typeof happenings;
type TypesOf<Subject extends EventSubject> = Subject extends EventSubject ? `${Subject}.${(typeof happenings)[Subject][number]}` : never;
export type EventType = TypesOf<EventSubject>;

export const eventTypes = Object.entries(happenings).flatMap(([subject, verbs]) => verbs.map((verb) => `${subject}.${verb}` as EventType));
export const EventTypeName = z.enum(eventTypes as [EventType, ...EventType[]]);

export function subjectOfType(type: EventType): EventSubject {
  return type.slice(0, type.indexOf('.')) as EventSubject;
}

export const Event = z
  .object({
    id: Id.describe('Go on from here with `after` or `Last-Event-ID`.'),
    type: z.string().describe('`<what>.<happened>`, such as `message.created`.'),
    workspaceId: Id,
    createdAt: Time,
    agentId: Id.optional(),
    sessionId: Id.optional(),
    data: z
      .record(z.string(), JsonValue)
      .describe(
        'The resource under its own name as it is when the event is read; its `id` alone where it is larger than 64 kB or gone. Of some changes more, such as `supersededBy`.',
      ),
  })
  .meta({
    id: 'Event',
    examples: [
      {
        id: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c90',
        type: 'message.created',
        workspaceId: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c11',
        createdAt: '2026-11-15T09:30:00.000Z',
        agentId: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c20',
        sessionId: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c30',
        data: { message: { id: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c40', role: 'user', content: 'Hello' } },
      },
    ],
  });
export type Event = z.infer<typeof Event>;

export const Events = pageOf('events', Event);

/** `message.created,memory.created`; empty is all. */
const EventTypeList = z
  .string()
  .max(2_000)
  .meta({ format: 'event-types', examples: ['message.created,memory.created'] })
  .transform((text) => [
    ...new Set(
      text
        .split(',')
        .map((type) => type.trim())
        .filter((type) => type !== ''),
    ),
  ])
  .pipe(listOf(EventTypeName, { max: eventTypes.length }));

export const EventQuery = Page.extend({
  types: filter(EventTypeList).describe('Types, separated by commas; all when absent.'),
  sessionId: filter(Id).describe('Those of one session.'),
  after: filter(Id).describe('The `id` of the last event that is known: those after it.'),
  cursor: filter(Id).describe('`_meta.cursor` of the page before: goes on from there, whatever `after` says.'),
});
export type EventQuery = z.infer<typeof EventQuery>;
