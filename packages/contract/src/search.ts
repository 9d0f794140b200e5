import { z } from 'zod';
import { Labels } from './labels.ts';
import { MemoryKind } from './memories.ts';
import { MessageRole } from './messages.ts';
import { SearchWhere } from './where.ts';
import { Id, listOf, Moment, text } from './wire.ts';

const DEFAULT_LIMIT = 10;

export const QueryText = text({ min: 1, max: 10_000, trim: true });

/** What every search takes. */
const SearchBase = z.object({
  query: QueryText.describe('What to look for, in words.'),
  limit: z
    .int()
    .min(0)
    .max(100)
    .nullish()
    .transform((limit) => limit || DEFAULT_LIMIT)
    .meta({ type: 'integer', minimum: 0, maximum: 100, default: DEFAULT_LIMIT })
    .describe('How many hits to return, 1 to 100; 0 means the default.'),
  minScore: z.number().min(0).max(1).nullish().describe('Leaves out hits below this score.'),
  explain: z.boolean().nullish().describe('Says why each hit ranks where it does.'),
});

export const Explanation = z
  .object({
    lexical: z.number().describe('What its own words add.'),
    vector: z.number().describe('What its own meaning adds.'),
    tokens: z.number().describe('What the meaning of its single words adds.'),
    neighbours: z.number().describe('What the messages before and after add.'),
    signals: z
      .record(z.string(), z.number())
      .describe('What else speaks for it, or against it, by name: `speaker`, `asking`, `time`, …; only what says something.'),
  })
  .meta({ id: 'Explanation', description: 'The parts of a score; they add up to it.' });

export const IncludeArchived = z.boolean().nullish().describe('Also what is in sessions that are archived; false when absent.');

const example = { query: 'seat preferences', limit: 10 };

export const MessageSearch = SearchBase.extend({
  roles: listOf(MessageRole, { min: 1, max: MessageRole.options.length }).nullish(),
  since: Moment.nullish(),
  until: Moment.nullish(),
  where: SearchWhere,
}).meta({ id: 'MessageSearch', examples: [example] });
export type MessageSearch = z.infer<typeof MessageSearch>;

export const AgentMessageSearch = MessageSearch.extend({
  labels: Labels.nullish().describe('Of the sessions: every pair must match.'),
  includeArchived: IncludeArchived,
}).meta({
  id: 'AgentMessageSearch',
  examples: [example],
});
export type AgentMessageSearch = z.infer<typeof AgentMessageSearch>;

export const MemorySearch = SearchBase.extend({
  kinds: listOf(MemoryKind, { min: 1, max: MemoryKind.options.length }).nullish(),
  asOf: Moment.nullish().describe('What was held true at this moment.'),
  where: SearchWhere,
}).meta({
  id: 'MemorySearch',
  examples: [example],
});
export type MemorySearch = z.infer<typeof MemorySearch>;

export const AgentMemorySearch = MemorySearch.extend({
  labels: Labels.nullish().describe('Of the sessions: every pair must match.'),
  includeArchived: IncludeArchived,
}).meta({
  id: 'AgentMemorySearch',
  examples: [example],
});
export type AgentMemorySearch = z.infer<typeof AgentMemorySearch>;

export const DocumentSearch = SearchBase.extend({
  labels: Labels.nullish().describe('Of the documents: every pair must match.'),
  where: z
    .unknown()
    .refine((where) => where == null, 'Where is for messages and memories: documents have no meta')
    .optional()
    .meta({ type: 'null' })
    .describe('Refused: documents have no `meta`.'),
}).meta({
  id: 'DocumentSearch',
  examples: [{ query: 'how to install', labels: { lang: 'en' } }],
});
export type DocumentSearch = z.infer<typeof DocumentSearch>;

const score = z
  .number()
  .describe('0 to 1: how likely it is an answer, as far as that can be told. From 0.5 on it is more likely than not.');

export const MessageHit = z
  .object({ id: Id, role: MessageRole, score, text: z.string(), sessionId: Id, explain: Explanation.optional() })
  .meta({ id: 'MessageHit' });
export type MessageHit = z.infer<typeof MessageHit>;
export const MessageHits = z.object({ results: z.array(MessageHit) });

export const MemoryHit = z
  .object({ id: Id, kind: MemoryKind, score, text: z.string(), sessionId: Id, explain: Explanation.optional() })
  .meta({ id: 'MemoryHit' });
export type MemoryHit = z.infer<typeof MemoryHit>;
export const MemoryHits = z.object({ results: z.array(MemoryHit) });

export const DocumentHit = z
  .object({
    documentId: Id,
    chunkId: z.string(),
    score,
    text: z.string(),
    labels: z.record(z.string(), z.string()),
    title: z.string(),
    heading: z.string().describe('The headings above the chunk, outermost first.'),
    explain: Explanation.optional(),
  })
  .meta({ id: 'DocumentHit' });
export type DocumentHit = z.infer<typeof DocumentHit>;
export const DocumentHits = z.object({ results: z.array(DocumentHit) });

export const WorkspaceSearch = SearchBase.extend({
  where: SearchWhere.describe(
    'Of the `meta` of messages and memories, as in a search of those alone. Documents have none: they are left out then.',
  ),
  includeArchived: IncludeArchived,
}).meta({ id: 'WorkspaceSearch', examples: [example] });
export type WorkspaceSearch = z.infer<typeof WorkspaceSearch>;

/** One list of documents, memories and messages together. */
export const WorkspaceHits = z.object({
  results: z.array(
    z
      .discriminatedUnion('type', [
        DocumentHit.extend({ type: z.literal('document') }).meta({ id: 'DocumentResult' }),
        MemoryHit.extend({ type: z.literal('memory'), agentId: Id }).meta({ id: 'MemoryResult' }),
        MessageHit.extend({ type: z.literal('message'), agentId: Id }).meta({ id: 'MessageResult' }),
      ])
      .meta({ id: 'Hit' }),
  ),
});
export type WorkspaceHits = z.infer<typeof WorkspaceHits>;
