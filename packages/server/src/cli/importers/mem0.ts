/** Mem0's memories, as its API lists and exports them: a JSON list, `{"results": [...]}` or `{"memories": [...]}`, or JSON Lines. */
import { readGroupedSessions } from './grouped-sessions.ts';
import { digestOf, fieldOf, type Importer, isObject, type Problem, storable, textField, timeOf, toTime } from './items.ts';
import { type FileRecord, firstByteOf, parseRecord, readElements, readLineRecords } from './records.ts';
import type { SessionLines } from './session-lines.ts';

/** Whose a memory is, by the first of these that it has, and what the label is called. */
const OWNERS = [
  ['user_id', 'user'],
  ['agent_id', 'agent'],
  ['app_id', 'app'],
  ['run_id', 'run'],
] as const;
const LONGEST_LABEL = 255;
/** What goes along with a memory, where it is there. */
const KEPT = ['categories', 'metadata', 'agent_id', 'app_id', 'run_id', 'actor_id', 'role'];
const PREFERENCE = /preference/i;

interface FoundMemory {
  readonly value: Readonly<Record<string, unknown>>;
  readonly content: string;
  readonly number: number;
  readonly place: string;
  readonly createdMs: number | undefined;
  readonly updatedMs: number | undefined;
}

export const mem0: Importer = {
  agentName: 'Mem0',
  read: (path, options) =>
    readGroupedSessions(
      path,
      {
        recordsOf: async (file, { onRead }) =>
          (await isJsonLines(file)) ? readLineRecords(file, onRead) : readElements(file, ['results', 'memories', 'data'], onRead),
        read: (record, name, { nowMs }) => readMemory(record, name, nowMs),
        keyOf: ({ value }) => JSON.stringify(ownerOf(value)),
        msOf: ({ createdMs }) => createdMs,
        sessionOf: sessionOfOwner,
        lineOf: lineOfMemory,
      },
      options,
    ),
};

/** An object on the first line is a memory by itself, or the beginning of one that holds them all. */
async function isJsonLines(path: string): Promise<boolean> {
  if ((await firstByteOf(path)) !== '{') return false;
  for await (const { bytes } of readLineRecords(path)) {
    const parsed = parseRecord(bytes);
    return 'value' in parsed && textOfMemory(parsed.value) !== undefined;
  }
  return false;
}

function readMemory({ number, bytes }: FileRecord, name: string, nowMs: number): FoundMemory | Problem {
  const place = `${name}, memory ${number}`;
  const parsed = parseRecord(bytes);
  if ('problem' in parsed) return { place, problem: parsed.problem };
  const { value } = parsed;
  const content = textOfMemory(value);
  if (!isObject(value) || content === undefined) return { place, problem: 'it has no text under “memory”' };
  const updatedMs = timeOf(fieldOf(value, 'updated_at'), nowMs);
  return { value, content, number, place, createdMs: timeOf(fieldOf(value, 'created_at'), nowMs) ?? updatedMs, updatedMs };
}

/** `text` is what earlier versions called it. */
function textOfMemory(value: unknown): string | undefined {
  const text = fieldOf(value, 'memory') ?? fieldOf(value, 'text');
  return typeof text === 'string' && text.trim() !== '' ? text : undefined;
}

function ownerOf(memory: Readonly<Record<string, unknown>>): [kind: string, id: string] {
  for (const [field, kind] of OWNERS) {
    const id = textField(memory, field);
    if (id !== undefined) return [kind, id];
  }
  return ['', ''];
}

function sessionOfOwner(key: string, name: string) {
  const [kind, owner] = JSON.parse(key) as [string, string];
  return {
    format: 'mem0',
    sourceId: `${kind}:${owner}`,
    title: owner || 'Mem0',
    labels: kind === '' ? {} : { [kind]: labelOf(owner) },
    place: `${name}, memories of ${kind === '' ? 'nobody' : `${kind} ${owner.slice(0, 100)}`}`,
  };
}

/** One that is too long for a label is known by its digest. */
function labelOf(owner: string): string {
  const label = storable(owner);
  return Array.from(label).length <= LONGEST_LABEL ? label : digestOf(owner).toString('hex');
}

function lineOfMemory(session: SessionLines, memory: FoundMemory, fallbackMs: number) {
  const { value, content, number, place, createdMs = fallbackMs, updatedMs = createdMs } = memory;
  const categories = fieldOf(value, 'categories');
  const isPreference =
    Array.isArray(categories) && categories.some((category) => typeof category === 'string' && PREFERENCE.test(category));
  const meta: Record<string, unknown> = { importedFrom: 'mem0' };
  for (const field of KEPT) {
    const kept = fieldOf(value, field);
    if (kept !== undefined && kept !== null) meta[field] = kept;
  }
  const expiresMs = timeOf(fieldOf(value, 'expiration_date'), LATEST_MS);
  const expiresAt = expiresMs === undefined ? null : toTime(expiresMs);
  const kind = isPreference ? 'preference' : 'fact';
  return session.memory(
    { kind, content, meta, expiresAt },
    { sourceId: textField(value, 'id') ?? `#${number}`, createdMs, updatedMs, place },
  );
}

/** The end of the year 9999. */
const LATEST_MS = 253_402_300_799_999;
