/** Jobs have no rows of their own: their ids follow from what they are done for, and their order from their ids. */
import { JobKind, JobStatus } from '@commonplace/contract/jobs';
import { isId } from '../db/ids.ts';
import { invalid } from '../errors.ts';

export interface JobPlace {
  readonly kind: JobKind;
  readonly subjectId: string;
}

export interface JobPosition extends JobPlace {
  readonly status: JobStatus;
}

const kinds = JobKind.options;

/** Where an id has its version. */
const VERSION_AT = 14;

/**
 * The id of the document or session, which is a UUID of version 7 and begins with a 0 until the year 2527: there the kind goes, and
 * version 8 says that it is another id.
 */
export function jobIdOf({ kind, subjectId }: JobPlace): string {
  return `${kinds.indexOf(kind)}${subjectId.slice(1, VERSION_AT)}8${subjectId.slice(VERSION_AT + 1)}`;
}

/** Undefined where it can't be the id of a job. */
export function placeOf(jobId: string): JobPlace | undefined {
  const kind = kinds[Number.parseInt(jobId[0] as string, 16)];
  if (kind === undefined || !isId(jobId) || jobId[VERSION_AT] !== '8') return undefined;
  return { kind, subjectId: `0${jobId.slice(1, VERSION_AT)}7${jobId.slice(VERSION_AT + 1)}` };
}

/** In the order of the list. */
export const statuses: readonly JobStatus[] = ['failed', 'running', 'waiting'];

/** What waits goes by age, as it is taken up; of the rest the newest is looked for. */
export function isOldestFirst(status: JobStatus): boolean {
  return status === 'waiting';
}

/** Of two jobs in one status. */
export function compare(status: JobStatus, one: JobPlace, other: JobPlace): number {
  if (one.subjectId === other.subjectId) return kinds.indexOf(one.kind) - kinds.indexOf(other.kind);
  return one.subjectId < other.subjectId === isOldestFirst(status) ? -1 : 1;
}

/** Whether the subject of the position may have a job of this kind after it: the kinds of one subject have an order. */
export function comesLater(kind: JobKind, position: JobPlace): boolean {
  return kinds.indexOf(kind) > kinds.indexOf(position.kind);
}

export function cursorOf(position: JobPosition): string {
  return Buffer.from(JSON.stringify([position.status, jobIdOf(position)])).toString('base64url');
}

export function positionFrom(cursor: string): JobPosition {
  try {
    const [status, jobId] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    const place = typeof jobId === 'string' ? placeOf(jobId) : undefined;
    if (place) return { status: JobStatus.parse(status), ...place };
  } catch {
    // Not one of ours; reported below.
  }
  throw invalid('cursor', 'Cursor must be one that a page of this list gave');
}
