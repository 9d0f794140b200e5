/** What a workspace is taken out as and brought in from: JSON Lines, each `{"type", "data"}` but for the first and the last. */
import { z } from 'zod';
import { AgentConfigChanges, AgentStatus } from './agents.ts';
import { DocumentExternalId, DocumentTitle, LARGEST_FILE_BYTES, LONGEST_DOCUMENT_LABEL, MOST_DOCUMENT_LABELS } from './documents.ts';
import { Labels } from './labels.ts';
import { MemoryKind } from './memories.ts';
import { MessageRole } from './messages.ts';
import { PromptType, PromptVersionStatus } from './prompts.ts';
import { SessionStatus } from './sessions.ts';
import { Content, filter, Id, JsonText, KeptJsonText, listOf, Moment, text } from './wire.ts';

export const EXPORT_VERSION = 1;
/** Of one line. The largest is a document with its bytes. */
export const LARGEST_LINE_BYTES = 16_000_000;
/** Of a prompt with its versions, and of a document with the chunks that come with it: each is written at once. */
export const LARGEST_GROUP_BYTES = 32_000_000;
export const MOST_IMPORT_ERRORS = 20;

/** What is counted, in the order in which it is written. */
export const exportedKinds = ['prompts', 'promptVersions', 'documents', 'agents', 'sessions', 'messages', 'memories'] as const;
export type ExportedKind = (typeof exportedKinds)[number];

const count = z.int().min(0);
export const ExportCounts = z
  .object({
    prompts: count,
    promptVersions: count,
    documents: count,
    agents: count,
    sessions: count,
    messages: count,
    memories: count,
  })
  .meta({
    id: 'ExportCounts',
    examples: [{ prompts: 2, promptVersions: 5, documents: 1, agents: 1, sessions: 3, messages: 40, memories: 6 }],
  });
export type ExportCounts = z.infer<typeof ExportCounts>;

export const ExportQuery = z.object({
  vectors: filter(z.enum(['true', 'false']))
    .transform((value) => value === 'true')
    .describe('Whether vectors come along, so that a service with the same model need not make them again. Default `false`.'),
});

export const ImportMode = z.enum(['keep-ids', 'new-ids']);
export type ImportMode = z.infer<typeof ImportMode>;

export const ImportQuery = z.object({
  mode: filter(ImportMode)
    .transform((mode): ImportMode => mode ?? 'keep-ids')
    .describe(
      '`keep-ids` (default): the same ids where they are free. `new-ids`: others, the same ones each time that the stream is sent.',
    ),
});

export const ImportError = z.object({ line: z.int().describe('From 1.'), message: z.string() });
export type ImportError = z.infer<typeof ImportError>;

export const ImportResult = z
  .object({
    counts: ExportCounts.describe('What was made.'),
    skipped: z.int().describe('How much of it was there already.'),
    errors: z.array(ImportError).describe(`What was not brought in, by line; the first ${MOST_IMPORT_ERRORS}.`),
  })
  .meta({
    id: 'ImportResult',
    examples: [
      {
        counts: { prompts: 2, promptVersions: 5, documents: 1, agents: 1, sessions: 3, messages: 40, memories: 6 },
        skipped: 0,
        errors: [],
      },
    ],
  });
export type ImportResult = z.infer<typeof ImportResult>;

export const ExportHeader = z.object({
  type: z.literal('header'),
  version: z.literal(EXPORT_VERSION),
  workspace: z.object({ id: Id, name: text({ max: 1000 }), handle: text({ max: 1000 }) }),
  exportedAt: Moment,
  counts: ExportCounts.partial().describe('At the beginning; the footer has what was written.'),
});
export type ExportHeader = z.infer<typeof ExportHeader>;

export const ExportFooter = z.object({
  type: z.literal('footer'),
  counts: ExportCounts.partial(),
  checksum: text({ max: 100 }).describe('`sha256:` and the hex digits of all bytes before this line.'),
});
export type ExportFooter = z.infer<typeof ExportFooter>;

const MOST_VERSIONS = 2 ** 31 - 1;
const versionNumber = z.int().min(1).max(MOST_VERSIONS);
const times = { createdAt: Moment, updatedAt: Moment };

export const PromptLine = z.object({
  id: Id,
  name: text({ min: 1, max: 150, trim: true }),
  description: text({ max: 2000 }),
  lastVersion: versionNumber,
  latestVersion: versionNumber.nullable(),
  productionVersion: versionNumber.nullable(),
  ...times,
});
export type PromptLine = z.infer<typeof PromptLine>;

const CommitHash = text({ min: 1, max: 64 });
export const PromptVersionLine = z.object({
  id: Id,
  promptId: Id,
  version: versionNumber,
  type: PromptType,
  content: Content,
  commitHash: CommitHash,
  parentHash: CommitHash.nullable(),
  status: PromptVersionStatus,
  config: JsonText,
  labels: listOf(text({ min: 1, max: 100, trim: true }), { max: 32 }),
  commitMessage: text({ max: 255 }).nullable(),
  meta: KeptJsonText,
  ...times,
});
export type PromptVersionLine = z.infer<typeof PromptVersionLine>;

/** Bytes as text, a third longer. */
const base64 = (maxBytes: number) => z.base64().max(Math.ceil(maxBytes / 3) * 4);

export const DocumentLine = z.object({
  id: Id,
  externalId: DocumentExternalId.nullable(),
  title: DocumentTitle,
  filename: text({ min: 1, max: 255 }),
  labels: listOf(text({ max: LONGEST_DOCUMENT_LABEL }), { max: MOST_DOCUMENT_LABELS }),
  content: base64(LARGEST_FILE_BYTES).describe('The bytes of the file, as base64.'),
  ...times,
});
export type DocumentLine = z.infer<typeof DocumentLine>;

const Vector = base64(100_000);
const TokenCodes = base64(1_000_000).nullable();
const ModelName = text({ min: 1, max: 500 });
const MOST_ITEMS = 1000;

export const DocumentChunksLine = z.object({
  documentId: Id,
  model: ModelName,
  chunks: listOf(
    z.object({
      position: z.int().min(0).max(1_000_000),
      heading: text({ max: 100_000 }),
      text: text({ max: 100_000 }),
      startOffset: z.int().min(0).max(LARGEST_FILE_BYTES),
      endOffset: z.int().min(0).max(LARGEST_FILE_BYTES),
      vector: Vector.nullable(),
      tokenCodes: TokenCodes,
    }),
    { max: MOST_ITEMS },
  ),
});
export type DocumentChunksLine = z.infer<typeof DocumentChunksLine>;

export const AgentLine = z.object({
  id: Id,
  name: text({ min: 1, max: 100, trim: true }),
  handle: text({ min: 1, max: 255 }),
  description: text({ max: 2000 }),
  status: AgentStatus,
  configs: AgentConfigChanges,
  promptId: Id.nullable(),
  kbLabels: Labels,
  ...times,
});
export type AgentLine = z.infer<typeof AgentLine>;

export const SessionLine = z.object({
  id: Id,
  agentId: Id,
  externalId: text({ min: 1, max: 255 }),
  named: z.boolean().describe('Whether the external id was given by a caller.'),
  title: text({ max: 255 }),
  status: SessionStatus,
  labels: Labels,
  meta: JsonText,
  lastActivityAt: Moment,
  ...times,
  extraction: z
    .object({ done: count, summarized: count, personId: z.guid().toLowerCase().nullable() })
    .nullish()
    .describe('How far memories were extracted, if they were.'),
});
export type SessionLine = z.infer<typeof SessionLine>;

export const MessageLine = z.object({
  id: Id.describe('A UUID of version 7 with the time of `createdAt`: messages are in the order of their ids.'),
  sessionId: Id,
  role: MessageRole,
  content: Content,
  meta: JsonText,
  ...times,
});
export type MessageLine = z.infer<typeof MessageLine>;

export const MemoryLine = z.object({
  id: Id,
  sessionId: Id,
  kind: MemoryKind,
  content: Content,
  meta: JsonText,
  source: z.enum(['written', 'extracted']),
  slot: text({ max: 10_000 }).nullable(),
  fingerprint: text({ max: 100_000 }).nullable(),
  expiresAt: Moment.nullable(),
  supersededAt: Moment.nullable(),
  supersededBy: Id.nullable(),
  ...times,
});
export type MemoryLine = z.infer<typeof MemoryLine>;

export const MemoryEventLine = z.object({
  id: Id,
  sessionId: Id,
  memoryId: Id,
  event: z.enum(['edited', 'withdrawn']),
  messageId: Id.nullable(),
  content: Content.nullable(),
  forgotten: z.boolean(),
  createdAt: Moment,
});
export type MemoryEventLine = z.infer<typeof MemoryEventLine>;

export const MemorySourcesLine = z.object({
  sessionId: Id,
  sources: listOf(z.object({ messageId: Id, memoryId: Id, causeId: Id }), { min: 1, max: MOST_ITEMS }),
});
export type MemorySourcesLine = z.infer<typeof MemorySourcesLine>;

/** Ids that are made of a digest have no version. */
const DigestId = z.guid().toLowerCase();

/** What a message says of a person, which the memories of that person are made of. */
export const AssertionLine = z.object({
  id: Id,
  sessionId: Id,
  personId: DigestId,
  topicId: DigestId,
  messageId: Id,
  ordinal: z.int().min(0).max(1_000_000),
  saidAt: Moment,
  fingerprintDigest: DigestId,
  kind: MemoryKind.nullable(),
  content: text({ max: 100_000 }).nullable(),
  slot: text({ max: 10_000 }).nullable(),
  extractor: text({ max: 1000 }).nullable(),
  successorId: Id.nullable(),
  successorTopicId: DigestId.nullable(),
  sources: listOf(z.object({ sessionId: Id, messageId: Id }), { max: MOST_ITEMS }),
  expiresAt: Moment.nullable(),
  forgotten: z.boolean(),
  overridden: z.boolean(),
});
export type AssertionLine = z.infer<typeof AssertionLine>;

export const VectorsLine = z.object({
  sessionId: Id,
  kind: z.enum(['message', 'memory']),
  model: ModelName,
  vectors: listOf(z.object({ id: Id, vector: Vector, tokenCodes: TokenCodes }), { min: 1, max: MOST_ITEMS }),
});
export type VectorsLine = z.infer<typeof VectorsLine>;

/** Behind all that belongs to a session or a prompt, or to a document with chunks: how many lines those are, and whether it was deleted meanwhile. */
export const EndLine = z.object({ of: z.enum(['prompt', 'document', 'session']), id: Id, lines: count, deleted: z.boolean().optional() });
export type EndLine = z.infer<typeof EndLine>;

/** By the type of the line. */
export const lineSchemas = {
  prompt: PromptLine,
  promptVersion: PromptVersionLine,
  document: DocumentLine,
  documentChunks: DocumentChunksLine,
  agent: AgentLine,
  session: SessionLine,
  message: MessageLine,
  memory: MemoryLine,
  memoryEvent: MemoryEventLine,
  memorySources: MemorySourcesLine,
  assertion: AssertionLine,
  vectors: VectorsLine,
  end: EndLine,
} as const;
export type LineType = keyof typeof lineSchemas;
export type LineData<Type extends LineType> = z.infer<(typeof lineSchemas)[Type]>;
