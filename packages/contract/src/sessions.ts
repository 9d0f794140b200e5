import { z } from 'zod';
import { Labels } from './labels.ts';
import { Id, JsonText, JsonValue, PageMeta, Time, text } from './wire.ts';

export const SessionStatus = z.enum(['active', 'archived']);

const example = {
  id: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c30',
  externalId: 'chat-17',
  workspaceId: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c11',
  agentId: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c20',
  title: 'Refund for order 42',
  status: 'active',
  labels: { customer: '42' },
  meta: {},
  lastActivityAt: '2026-11-15T09:30:00.000Z',
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:30:00.000Z',
};

export const Session = z
  .object({
    id: Id.describe('The internal id, used in the paths of messages and memories.'),
    externalId: z.string().describe('The client’s own id: the `id` of the creation, or made by the service.'),
    workspaceId: Id,
    agentId: Id,
    title: z.string(),
    status: SessionStatus,
    labels: z.record(z.string(), z.string()),
    meta: JsonValue,
    lastActivityAt: Time.describe('Of the last message; of the creation where there is none.'),
    createdAt: Time,
    updatedAt: Time,
  })
  .meta({ id: 'Session', examples: [example] });
export type Session = z.infer<typeof Session>;

const ExternalId = text({ min: 1, max: 255 }).nullish();
const Title = text({ max: 255 }).nullish();

const NewSessionFields = z.object({
  id: ExternalId.describe('The external id, as the query’s `id`; made by the service when neither is given.'),
  labels: Labels.nullish().describe('Joined with those of the query.'),
  title: Title,
  meta: JsonText,
});
export const NewSession = NewSessionFields.nullish()
  .transform((body): Partial<z.infer<typeof NewSessionFields>> => body ?? {})
  .meta({ id: 'NewSession', examples: [{ labels: { customer: '42' }, title: 'Refund for order 42' }] });
export type NewSession = z.infer<typeof NewSession>;

export const SessionChanges = z
  .object({ title: Title, labels: Labels.nullish(), meta: JsonText, status: SessionStatus.optional() })
  .meta({ id: 'SessionChanges', examples: [{ title: 'Refund, done', status: 'archived' }] });
export type SessionChanges = z.infer<typeof SessionChanges>;

export const SessionFork = z
  .object({
    messageId: Id.nullish().describe('The last message to bring along; all of them when absent.'),
    id: ExternalId.describe('The external id of the copy; made by the service when absent.'),
    title: Title,
  })
  .nullish()
  .transform(
    (body): { messageId?: string | null | undefined; id?: string | null | undefined; title?: string | null | undefined } => body ?? {},
  )
  .meta({ id: 'SessionFork', examples: [{ messageId: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c40', id: 'chat-17-b' }] });
export type SessionFork = z.infer<typeof SessionFork>;

/** Without a cursor: every other query key of the session lists is a label. */
export const Sessions = z.object({ sessions: z.array(Session), _meta: PageMeta.omit({ cursor: true }) });
