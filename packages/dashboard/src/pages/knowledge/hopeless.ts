/** What the same file can't mend by being tried again. */
import { APIError, type Document } from '@commonplace/client';

const PAYLOAD_TOO_LARGE = 413;
const UNSUPPORTED_MEDIA_TYPE = 415;

/** A refusal of the file itself: its type, its size, its encoding. Not of the labels, the line or the service. */
export function isAboutFile(error: unknown): boolean {
  if (!(error instanceof APIError)) return false;
  return error.status === PAYLOAD_TOO_LARGE || error.status === UNSUPPORTED_MEDIA_TYPE || error.details.some(({ path }) => path === 'file');
}

/** The reason begins so, for a file of blanks as for an empty one; the API has no code for it. */
export const saysNoText = (reason: string | undefined): boolean => reason?.startsWith('The file is empty') ?? false;

/** With its full stop, where more is said after it. */
export const asSentence = (reason: string | undefined): string => reason?.replace(/(?<![.?!…])$/, '.') ?? '';

/** Nothing to index: the same file fails again. */
export function hasNoText({ status, error, charCount }: Pick<Document, 'status' | 'error' | 'charCount'>): boolean {
  return status === 'failed' && (charCount === 0 || saysNoText(error));
}
