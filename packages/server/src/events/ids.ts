/** The ids of events: UUIDs from which their places are read, so that a reader can go on from any of them, kept or not. */
import { hash } from 'node:crypto';
import { isId } from '../db/ids.ts';

/** Of the number of an event in its workspace: 40 bits. */
const SEQ_DIGITS = 10;

/**
 * Version 7: the time in front, then bits of the workspace, so that no two workspaces have an id in common, and the number of the event at the end.
 */
export function eventIdOf(workspaceId: string, seq: number, createdAt: string): string {
  const time = Date.parse(createdAt).toString(16).padStart(12, '0');
  const own = workspaceDigits(workspaceId);
  const end = seq.toString(16).padStart(SEQ_DIGITS, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${own.slice(0, 3)}-8${own.slice(3, 6)}-${own.slice(6, 8)}${end}`;
}

/** The number of an event of this workspace; undefined for any other id. */
export function seqOfEventId(workspaceId: string, eventId: string): number | undefined {
  if (!isId(eventId)) return undefined;
  const digits = eventId.toLowerCase().replaceAll('-', '');
  const own = digits.slice(13, 16) + digits.slice(17, 20) + digits.slice(20, 22);
  const isOwn = digits[12] === '7' && digits[16] === '8' && own === workspaceDigits(workspaceId);
  return isOwn ? Number.parseInt(digits.slice(-SEQ_DIGITS), 16) : undefined;
}

const known = new Map<string, string>();
const MOST_KNOWN = 1_000;

function workspaceDigits(workspaceId: string): string {
  let digits = known.get(workspaceId);
  if (digits === undefined) {
    digits = hash('sha256', workspaceId.toLowerCase(), 'hex').slice(0, 8);
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(workspaceId, digits);
  }
  return digits;
}
