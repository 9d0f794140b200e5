import { z } from 'zod';
import { filter, Id, Page, pageOf, Time, text } from './wire.ts';

/** Of one file. */
export const LARGEST_FILE_BYTES = 2 * 1024 * 1024;

export const DocumentStatus = z.enum(['processing', 'indexed', 'failed']);
export type DocumentStatus = z.infer<typeof DocumentStatus>;

const example = {
  id: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c70',
  workspaceId: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c11',
  title: 'Handbook',
  filename: 'handbook.md',
  contentType: 'text/markdown',
  checksum: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  size: { value: 5120, unit: 'bytes' },
  charCount: 5100,
  status: 'indexed',
  labels: ['lang=en', 'public'],
  chunkingStrategy: 'markdown',
  chunkSize: 1200,
  chunkOverlap: 120,
  chunksTotal: 6,
  chunksIndexed: 6,
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:30:00.000Z',
};

export const Document = z
  .object({
    id: Id,
    workspaceId: Id,
    externalId: z.string().optional().describe('The id that the caller gave it; absent where none was given.'),
    title: z.string(),
    filename: z.string(),
    contentType: z.enum(['text/markdown', 'text/plain']),
    checksum: z.string().describe('SHA-256 of the bytes, in lower-case hex.'),
    size: z.object({ value: z.int(), unit: z.literal('bytes') }),
    charCount: z.int().describe('In code points.'),
    status: DocumentStatus.describe('Of the file that was uploaded last; what it replaces is found until it is indexed.'),
    error: z
      .string()
      .optional()
      .describe('Why it failed, or why the last try did; of an indexed one, what of it is found by its words alone.'),
    labels: z.array(z.string()),
    chunkingStrategy: z.enum(['markdown', 'text']),
    chunkSize: z.int(),
    chunkOverlap: z.int(),
    chunksTotal: z.int().describe('Known once the document is cut.'),
    chunksIndexed: z.int(),
    createdAt: Time,
    updatedAt: Time,
  })
  .meta({ id: 'Document', examples: [example] });
export type Document = z.infer<typeof Document>;

/** Compared character by character, and kept as it is. */
export const DocumentExternalId = text({ min: 1, max: 255 })
  // What forms put in place of bytes that are no UTF-8: ids that differ in these would be one.
  .refine((id) => !id.includes('\ufffd'), 'must be valid UTF-8 text')
  .describe('Your own id of the document, unique in the workspace; 1 to 255 characters.')
  .meta({ examples: ['handbook/refunds.md'] });

export const MOST_DOCUMENT_LABELS = 100;
export const LONGEST_DOCUMENT_LABEL = 320;

export const DocumentQuery = Page.extend({
  status: filter(DocumentStatus),
  externalId: DocumentExternalId.optional(),
  label: filter(text({ max: LONGEST_DOCUMENT_LABEL, trim: true })).describe('Only those with this label: `key=value`, or a bare word.'),
});
export type DocumentQuery = z.infer<typeof DocumentQuery>;

export const DocumentSelection = z.object({ externalId: DocumentExternalId });

export const Documents = pageOf('documents', Document);

export const DocumentChunk = z
  .object({
    id: z.string().describe('As `chunkId` of a hit.'),
    index: z.int().describe('Its place in the document, from 0.'),
    start: z.int().describe('Where it begins in the text, in code points; a byte order mark does not count.'),
    end: z.int().describe('Where it ends, exclusive. It may lie behind the start of the next chunk: they overlap by a sentence or so.'),
    heading: z.string().describe('The headings above it, outermost first, joined by ` › `.'),
    text: z.string().describe('The text from `start` to `end`, with U+FFFD in place of NUL.'),
    indexed: z
      .boolean()
      .describe('Whether it has a vector, and so is found by its meaning. If not, it is not indexed yet, or found by its words alone.'),
  })
  .meta({
    id: 'DocumentChunk',
    examples: [
      {
        id: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c70:0',
        index: 0,
        start: 0,
        end: 39,
        heading: 'Refunds',
        text: '# Refunds\n\nWithin 14 days, no questions.',
        indexed: true,
      },
    ],
  });
export type DocumentChunk = z.infer<typeof DocumentChunk>;

export const DocumentChunks = pageOf('chunks', DocumentChunk);

export const DocumentTitle = text({ min: 1, max: 255, trim: true }).describe('At most 255 characters.');

/** Of one field that holds them all. */
export const LONGEST_DOCUMENT_LABELS = 64_000;
/** As a form has them: a JSON array, or values separated by commas or semicolons. */
export const DocumentLabels = text({ max: LONGEST_DOCUMENT_LABELS }).describe(
  `A JSON array, or values separated by commas or semicolons; at most ${MOST_DOCUMENT_LABELS}, each at most ${LONGEST_DOCUMENT_LABEL} characters.`,
);
