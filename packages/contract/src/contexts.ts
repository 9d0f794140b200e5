import { z } from 'zod';
import { Labels } from './labels.ts';
import { MemoryKind } from './memories.ts';
import { MessageRole } from './messages.ts';
import { PromptVariables, VersionText } from './prompts.ts';
import { IncludeArchived, QueryText } from './search.ts';
import { Id, listOf, Time } from './wire.ts';

/** What a context is made of. */
export const ContextPart = z.enum(['prompt', 'summary', 'memories', 'knowledge', 'messages']);
export type ContextPart = z.infer<typeof ContextPart>;

export const Tokenizer = z.enum(['o200k_base', 'cl100k_base', 'estimate']);
export type Tokenizer = z.infer<typeof Tokenizer>;

export const SMALLEST_TOKEN_BUDGET = 200;
export const LARGEST_TOKEN_BUDGET = 200_000;
const DEFAULT_TOKEN_BUDGET = 4_000;
const DEFAULT_TOKENIZER = 'o200k_base' satisfies Tokenizer;

const fields = z.object({
  query: QueryText.nullish().describe('What the context has to bear on; the latest message of the user when absent.'),
  tokenBudget: z
    .int()
    .min(SMALLEST_TOKEN_BUDGET)
    .max(LARGEST_TOKEN_BUDGET)
    .nullish()
    .transform((budget) => budget ?? DEFAULT_TOKEN_BUDGET)
    .meta({ type: 'integer', minimum: SMALLEST_TOKEN_BUDGET, maximum: LARGEST_TOKEN_BUDGET, default: DEFAULT_TOKEN_BUDGET })
    .describe('What `tokens` of the answer never passes.'),
  include: listOf(ContextPart, { min: 1, max: ContextPart.options.length })
    .nullish()
    .describe('What may be in it; all that the caller may read when absent.'),
  variables: PromptVariables.nullish().transform((variables) => variables ?? {}),
  version: VersionText.nullish(),
  tokenizer: Tokenizer.nullish()
    .transform((tokenizer) => tokenizer ?? DEFAULT_TOKENIZER)
    .meta({ type: 'string', enum: Tokenizer.options, default: DEFAULT_TOKENIZER })
    .describe('How tokens are counted: as models do, or roughly by the number of characters.'),
  explain: z.boolean().nullish().describe('Says in `omitted` what nearly came in, and why it did not.'),
});

/** A body may be absent: then all is as it is unless told. */
export const ContextRequest = fields
  .nullish()
  .transform((body) => body ?? fields.parse({}))
  .meta({ id: 'ContextRequest', examples: [{ query: 'Which seat should I book?', tokenBudget: 2000 }] });
export type ContextRequest = z.infer<typeof ContextRequest>;

export const AgentContextRequest = fields
  .extend({
    labels: Labels.refine((labels) => Object.keys(labels).length > 0, { message: 'must have at least 1 item' }).describe(
      'Of the sessions: every pair must match.',
    ),
    includeArchived: IncludeArchived,
  })
  .meta({ id: 'AgentContextRequest', examples: [{ labels: { customer: '42' }, query: 'Which seat should I book?' }] });
export type AgentContextRequest = z.infer<typeof AgentContextRequest>;

const example = {
  type: 'memory',
  id: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c50',
  text: 'User prefers aisle seats',
  tokens: 5,
  score: 0.82,
  sessionId: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c30',
  createdAt: '2026-11-15T09:30:00.000Z',
  kind: 'preference',
};

export const ContextPiece = z
  .object({
    type: z.enum(['prompt', 'summary', 'memory', 'knowledge', 'message']),
    id: z.string().describe('Of the prompt version, memory, chunk or message.'),
    text: z.string(),
    tokens: z.int().describe('Of the text alone.'),
    score: z
      .number()
      .optional()
      .describe('0 to 1: how likely it is an answer to the query, whatever its type; absent where it did not come by that.'),
    sessionId: Id.optional(),
    role: MessageRole.optional(),
    createdAt: Time.optional(),
    kind: MemoryKind.optional(),
    documentId: Id.optional(),
    title: z.string().optional(),
  })
  .meta({ id: 'ContextPiece', examples: [example] });
export type ContextPiece = z.infer<typeof ContextPiece>;

export const OmissionReason = z.enum(['over_budget', 'too_large', 'said_in_message', 'said_in_summary', 'same_text', 'low_score']);
export type OmissionReason = z.infer<typeof OmissionReason>;

export const OmittedPiece = ContextPiece.extend({
  text: z.string().describe('Its beginning, at most 200 characters.'),
  tokens: z.int().optional().describe('Where they were counted.'),
  reason: OmissionReason,
}).meta({ id: 'OmittedPiece', examples: [{ ...example, reason: 'over_budget' }] });
export type OmittedPiece = z.infer<typeof OmittedPiece>;

export const ContextMessage = z
  .object({ role: MessageRole, content: z.string() })
  .meta({ id: 'ContextMessage', examples: [{ role: 'user', content: 'Which seat should I book?' }] });
export type ContextMessage = z.infer<typeof ContextMessage>;

export const ModelContext = z
  .object({
    tokens: z.int().describe('Of `messages` as they stand; never above the budget.'),
    tokenBudget: z.int(),
    tokenizer: Tokenizer,
    pieces: z.array(ContextPiece).describe('What it is made of, in the order in which it stands in `messages`.'),
    messages: z.array(ContextMessage).describe('Ready for a chat API: one system message, then the conversation in the order of time.'),
    omitted: z.array(OmittedPiece).describe('Empty unless `explain` asks for it; best first, at most 50.'),
  })
  .meta({ id: 'ModelContext' });
export type ModelContext = z.infer<typeof ModelContext>;
