/** What importers make of foreign files: lines of our import, each with its place in the file that it came from. */
import { createHash } from 'node:crypto';
import { type LineData, type LineType, lineSchemas } from '@commonplace/contract/transfer';

export interface ImportedLine {
  readonly type: LineType;
  readonly data: object;
  /** `conversations.json, conversation 12 (“Trip”)` */
  readonly place: string;
}

/** What could not be read, and is left out. */
export interface Problem {
  readonly place: string;
  readonly problem: string;
  /** There was nothing to bring in, or it is left out for a good reason. */
  readonly isHarmless?: boolean;
}

export type ImportedItem = ImportedLine | Problem;
export type Items = AsyncGenerator<ImportedItem, void>;

export interface ImporterOptions {
  /** What ids are made of beside the source's own: the same history in two workspaces has two sets of ids. */
  readonly workspaceId: string;
  /** Whom sessions belong to. */
  readonly agentId: string;
  /** No time may be later. */
  readonly nowMs: number;
  readonly onRead?: ((bytes: number) => void) | undefined;
}

/** One file a format. */
export interface Importer {
  /** The name of the agent where none is given; undefined where there is nothing that belongs to one. */
  readonly agentName?: string;
  read(path: string, options: ImporterOptions): Items;
}

/** The line, or what is wrong with it: the service would refuse all that belongs to it. */
export function lineOf<Type extends LineType>(type: Type, data: LineData<Type>, place: string): ImportedItem {
  const { success, error } = lineSchemas[type].safeParse(data);
  if (success) return { type, data, place };
  const [issue] = error.issues;
  return { place, problem: issue ? `${[...issue.path, ''].join(' ')}${issue.message}` : 'it is not valid' };
}

export function isLine(item: ImportedItem): item is ImportedLine {
  return 'type' in item;
}

/** Always the same for the same parts. */
export function digestOf(...parts: readonly string[]): Buffer {
  return createHash('sha256').update(JSON.stringify(parts)).digest();
}

/**
 * A UUID of version 7 that sorts by the moment, and those of one moment by the index. The rest is of the digest, so that what is read
 * again has the same id.
 */
export function idAt(ms: number, digest: Buffer, index = 0): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(ms, 0, 6);
  bytes.writeUInt16BE(0x7000 | ((index >>> 20) & 0xfff), 6);
  bytes.writeUInt32BE((0x80000000 | ((index & 0xfffff) << 10) | (digest.readUInt16BE(0) & 0x3ff)) >>> 0, 8);
  digest.copy(bytes, 12, 2, 6);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Of what has no time that stays the same: it sorts before everything. All of the digest is in it but for its time. */
export function timelessId(digest: Buffer): string {
  const bytes = Buffer.from(digest.subarray(0, 16));
  bytes.writeUIntBE(0, 0, 6);
  bytes[6] = 0x70 | ((bytes[6] as number) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** As both databases can hold it. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** The first so many characters, on one line. */
export function shortened(text: string, most: number): string {
  const line = storable(text.slice(0, most * 4))
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim();
  return Array.from(line).slice(0, most).join('').trim();
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value of the object itself: nothing that it inherits counts. */
export function fieldOf(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

export function textField(value: unknown, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const found = fieldOf(value, name);
    if (typeof found === 'string' && found !== '') return found;
    if (typeof found === 'number' && Number.isFinite(found)) return String(found);
  }
  return undefined;
}

/** Milliseconds later than which a number can't be meant in seconds: the year 5138. */
const MOST_SECONDS = 1e11;

/** Since 1970 in seconds or milliseconds, or an ISO time. Undefined where it is none, before 1970, or in the future. */
export function timeOf(value: unknown, nowMs: number): number | undefined {
  const ms =
    typeof value === 'number' ? value * (value < MOST_SECONDS ? 1000 : 1) : typeof value === 'string' ? parsedTime(value) : Number.NaN;
  return ms >= 0 && ms <= nowMs ? Math.floor(ms) : undefined;
}

function parsedTime(text: string): number {
  if (text.length > 64 || !/^\d{4}-\d{2}-\d{2}/.test(text)) return Number.NaN;
  // Without a zone it would be one of this machine: the same file would be read otherwise elsewhere.
  const hasZone = /(Z|[+-]\d{2}:?\d{2})$/i.test(text.slice(10)) || text.length === 10;
  return Date.parse(hasZone ? text.replace(' ', 'T') : `${text.replace(' ', 'T')}Z`);
}

export function toTime(ms: number): string {
  return new Date(ms).toISOString();
}
