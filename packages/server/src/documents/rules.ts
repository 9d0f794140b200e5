import { basename } from 'node:path';
import { LARGEST_FILE_BYTES, LONGEST_DOCUMENT_LABEL, LONGEST_DOCUMENT_LABELS, MOST_DOCUMENT_LABELS } from '@commonplace/contract/documents';
import { BODY_LIMITS, findExcess } from '@commonplace/contract/json';
import { exceedsLength, isStorable, lengthOf } from '@commonplace/contract/lengths';
import { invalid } from '../errors.ts';

const LONGEST_FILENAME = 255;

const contentTypes = { '.md': 'text/markdown', '.txt': 'text/plain' } as const;
export type ContentType = (typeof contentTypes)[keyof typeof contentTypes];

export interface UploadedText {
  readonly filename: string;
  readonly contentType: ContentType;
  readonly text: string;
}

export interface ReceivedFile {
  readonly filename: string;
  readonly bytes: Buffer;
  /** More was sent than is allowed; the bytes are only the beginning. */
  readonly isTooLarge: boolean;
}

/** The file as text, or the first thing that is wrong with it. */
export function uploadedText(file: ReceivedFile | undefined): UploadedText {
  if (!file || file.filename === '') throw invalid('file', 'File is required');
  // A path of either kind of system is no part of the name.
  const filename = basename(file.filename.replaceAll('\\', '/')).replaceAll('\0', '');
  const extension = (Object.keys(contentTypes) as (keyof typeof contentTypes)[]).find((ending) => filename.toLowerCase().endsWith(ending));
  if (!extension) throw invalid('file', 'Only .txt and .md files are allowed');
  if (file.isTooLarge || file.bytes.length > LARGEST_FILE_BYTES) throw invalid('file', 'File must not exceed 2 MB');
  if (lengthOf(filename) > LONGEST_FILENAME) throw invalid('file', `File name must not exceed ${LONGEST_FILENAME} characters`);
  return { filename, contentType: contentTypes[extension], text: decoded(file.bytes) };
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalid('file', 'File must be valid UTF-8 text');
  }
}

export interface IndexingFailure {
  readonly error: string;
  /** This one, too. */
  readonly attempts: number;
  readonly isFinal: boolean;
}

interface EmbeddedText {
  readonly checksum: string;
  readonly title: string;
  readonly contentType: string;
}

/** Whether the chunks of both would be cut and embedded alike: the title stands with every chunk, and the type says how to cut. */
export function isSameText(one: EmbeddedText, other: EmbeddedText): boolean {
  return one.checksum === other.checksum && one.title === other.title && one.contentType === other.contentType;
}

/** A JSON array, or values separated by commas or semicolons; in the order given, trimmed, without doubles. */
export function labelsOf(sent: readonly string[]): string[] {
  const given = sent.flatMap(labelsIn);
  if (given.length > MOST_DOCUMENT_LABELS) throw invalid('labels', `Labels must not have more than ${MOST_DOCUMENT_LABELS} items`);
  const labels = [...new Set(given.map((label) => label.trim()))].filter(Boolean);
  for (const label of labels) {
    if (labelPair(label)[0].startsWith('_')) throw invalid('labels', 'Labels must not use keys starting with _');
    if (exceedsLength(label, LONGEST_DOCUMENT_LABEL))
      throw invalid('labels', `Labels must not exceed ${LONGEST_DOCUMENT_LABEL} characters each`);
    if (!isStorable(label)) throw invalid('labels', 'Labels must not contain NUL or unpaired surrogate characters');
  }
  return labels;
}

function labelsIn(sent: string): string[] {
  if (exceedsLength(sent, LONGEST_DOCUMENT_LABELS)) throw invalid('labels', `Labels must not exceed ${LONGEST_DOCUMENT_LABELS} characters`);
  // One more than allowed is enough to tell. An object is not cut at its commas.
  if (!/^\s*[[{]/.test(sent)) return sent.split(/[,;]/, MOST_DOCUMENT_LABELS + 1);
  try {
    const parsed: unknown = findExcess(sent, BODY_LIMITS) ? undefined : JSON.parse(sent);
    if (Array.isArray(parsed) && parsed.length > MOST_DOCUMENT_LABELS) return parsed.slice(0, MOST_DOCUMENT_LABELS + 1) as string[];
    if (Array.isArray(parsed) && parsed.every((label) => typeof label === 'string')) return parsed as string[];
  } catch {
    // Reported below.
  }
  throw invalid('labels', 'Labels must be a JSON array of strings, or values separated by commas or semicolons');
}

/** `key=value`, or a bare word, which is its own key with an empty value. */
export function labelPair(label: string): [key: string, value: string] {
  const equals = label.indexOf('=');
  return equals === -1 ? [label, ''] : [label.slice(0, equals).trim(), label.slice(equals + 1).trim()];
}

export function labelMap(labels: readonly string[]): Record<string, string> {
  return Object.fromEntries(labels.map(labelPair));
}
