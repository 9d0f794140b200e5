import { z } from 'zod';
import { firstOf, labelComplaint, labelParameters, labelsOf } from './labels.ts';
import { WhereText } from './where.ts';
import { Content, FutureMoment, filter, Id, JsonText, JsonValue, listOf, Moment, Page, pageOf, Time, text } from './wire.ts';

export const MemoryKind = z.enum(['summary', 'fact', 'preference', 'short_lived', 'long_lived']);
export type MemoryKind = z.infer<typeof MemoryKind>;

const example = {
  id: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c50',
  sessionId: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c30',
  kind: 'preference',
  content: 'User prefers aisle seats',
  meta: {},
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:30:00.000Z',
};

export const Memory = z
  .object({
    id: Id,
    sessionId: Id,
    kind: MemoryKind,
    content: z.string(),
    meta: JsonValue,
    createdAt: Time.describe('Of an extracted memory: when it was said.'),
    updatedAt: Time,
    expiresAt: Time.optional().describe('When it leaves lists and search, if ever.'),
    supersededAt: Time.optional().describe(
      'Since when it no longer holds. It is in no list and no search then, unless they ask `asOf` before.',
    ),
    supersededBy: Id.optional().describe('What took its place.'),
  })
  .meta({ id: 'Memory', examples: [example] });
export type Memory = z.infer<typeof Memory>;

export const NewMemory = z
  .object({ kind: MemoryKind, content: Content, meta: JsonText, expiresAt: FutureMoment.nullish() })
  .meta({ id: 'NewMemory', examples: [{ kind: 'preference', content: example.content, meta: '{"by":"user"}' }] });
export type NewMemory = z.infer<typeof NewMemory>;

export const NewMemories = z.object({ memories: listOf(NewMemory, { min: 1, max: 100 }) }).meta({ id: 'NewMemories' });

export const MemoryChanges = z
  .object({ kind: MemoryKind.optional(), content: Content.optional(), meta: JsonText, expiresAt: FutureMoment.nullish() })
  .meta({ id: 'MemoryChanges', examples: [{ content: 'User prefers window seats' }] });
export type MemoryChanges = z.infer<typeof MemoryChanges>;

export const MemoryQuery = Page.extend({
  kind: filter(MemoryKind),
  asOf: filter(Moment).describe('What was held true at this moment.'),
  where: WhereText,
});
export type MemoryQuery = z.infer<typeof MemoryQuery>;

const AgentMemoryFields = MemoryQuery.extend({
  id: filter(text({ max: 255 })).describe('The external id of a session.'),
  includeArchived: filter(z.enum(['true', 'false'])).describe('Also what is in sessions that are archived; false when absent.'),
});

/** Of all sessions of an agent: every other key is a label that the sessions must have. */
export const AgentMemoryQuery = z
  .unknown()
  .optional()
  .transform((sent, context) => {
    const query = (sent ?? {}) as Record<string, string | string[]>;
    const fields = AgentMemoryFields.safeParse({ ...query, ...('id' in query && { id: firstOf(query.id) }) });
    for (const issue of fields.error?.issues ?? []) context.issues.push({ ...issue, input: query } as z.core.$ZodRawIssue);
    const labels = labelsOf(query, Object.keys(AgentMemoryFields.shape));
    const complaint = labelComplaint(labels);
    if (complaint) context.issues.push({ code: 'custom', message: complaint, path: ['labels'], input: query });
    if (!fields.success || complaint) return z.NEVER;
    const { id, includeArchived, ...page } = fields.data;
    return { ...page, externalId: id, labels, includeArchived: includeArchived === 'true' };
  })
  .meta({
    type: 'object',
    properties: z.toJSONSchema(AgentMemoryFields, { io: 'input' }).properties ?? {},
    ...labelParameters(Object.keys(AgentMemoryFields.shape)),
  });
export type AgentMemoryQuery = z.infer<typeof AgentMemoryQuery>;

export const Memories = pageOf('memories', Memory);
export const CreatedMemories = z.object({ memories: z.array(Memory) });

export const MemoryEvent = z
  .object({
    event: z.enum(['created', 'repeated', 'edited', 'superseded', 'withdrawn', 'expired']),
    at: Time,
    memoryId: Id.describe('The memory itself, or one that it took the place of.'),
    messageId: Id.nullable().describe('The message that caused it.'),
    content: z.string().nullable().describe('What the memory said from then on.'),
    supersededBy: Id.nullable().describe('What took its place.'),
    reason: z.enum(['forgotten']).nullable().describe('Why it was withdrawn: `forgotten` where the user asked for that.'),
  })
  .meta({
    id: 'MemoryEvent',
    examples: [
      {
        event: 'created',
        at: example.createdAt,
        memoryId: example.id,
        messageId: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c40',
        content: example.content,
        supersededBy: null,
        reason: null,
      },
    ],
  });
export type MemoryEvent = z.infer<typeof MemoryEvent>;
export const MemoryHistory = z.object({ history: z.array(MemoryEvent).describe('Oldest first.') }).meta({ id: 'MemoryHistory' });

export const ExtractionStatus = z
  .object({
    enabled: z.boolean().describe('Whether the agent’s `memoryPipeline` is on.'),
    regenerating: z.boolean(),
    pending: z.int().describe('Messages that still have to be looked at.'),
    done: z.int().describe('Messages that were looked at; one that was edited counts again.'),
    failed: z.int().describe('Messages that were given up; `regenerate` tries them again.'),
    lastError: z.string().nullable().describe('Why the last try to extract or to rebuild failed, while none has succeeded since.'),
    retryAt: Time.nullable(),
    failures: z.array(z.object({ messageId: Id, error: z.string(), failedAt: Time })).describe('The newest 20.'),
  })
  .meta({
    id: 'ExtractionStatus',
    examples: [{ enabled: true, regenerating: false, pending: 2, done: 40, failed: 0, lastError: null, retryAt: null, failures: [] }],
  });
export type ExtractionStatus = z.infer<typeof ExtractionStatus>;

export const Regeneration = z
  .object({ queued: z.int().describe('Messages that are looked at again.') })
  .meta({ id: 'Regeneration', examples: [{ queued: 12 }] });
