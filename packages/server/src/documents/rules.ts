import { basename } from 'node:path';
import { isStorable, lengthOf } from '@commonplace/contract/wire';
import { invalid } from '../errors.ts';

export const LARGEST_FILE_BYTES = 2 * 1024 * 1024;
const MOST_LABELS = 100;
const LONGEST_LABEL = 320;
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

/** A JSON array, or values separated by commas or semicolons; in the order given, trimmed, without doubles. */
export function labelsOf(sent: readonly string[]): string[] {
  const labels = [...new Set(sent.flatMap(labelsIn).map((label) => label.trim()))].filter(Boolean);
  if (labels.length > MOST_LABELS) throw invalid('labels', `Labels must not have more than ${MOST_LABELS} items`);
  for (const label of labels) {
    if (labelPair(label)[0].startsWith('_')) throw invalid('labels', 'Labels must not use keys starting with _');
    if (lengthOf(label) > LONGEST_LABEL) throw invalid('labels', `Labels must not exceed ${LONGEST_LABEL} characters each`);
    if (!isStorable(label)) throw invalid('labels', 'Labels must not contain NUL or unpaired surrogate characters');
  }
  return labels;
}

function labelsIn(sent: string): string[] {
  if (!sent.trim().startsWith('[')) return sent.split(/[,;]/);
  try {
    const parsed: unknown = JSON.parse(sent);
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
