/** Mem0's memories, as its API lists and exports them: a JSON list, `{"results": [...]}` or `{"memories": [...]}`, or JSON Lines. */

import { statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { groupRecords, readGroup } from './grouped-records.ts';
import {
  digestOf,
  fieldOf,
  type Importer,
  type ImporterOptions,
  isLine,
  isObject,
  type Problem,
  storable,
  textField,
  timeOf,
  toTime,
} from './items.ts';
import {
  type FileRecord,
  firstByteOf,
  type OnRead,
  parseRecord,
  type RecordReader,
  readElements,
  readLineRecords,
  UnreadableFile,
} from './records.ts';
import { SessionLines } from './session-lines.ts';

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

export const mem0: Importer = {
  agentName: 'Mem0',
  async *read(path, options) {
    const name = basename(path);
    const problems: Problem[] = [];
    try {
      const fallbackMs = Math.min(Math.floor(statSync(path).mtimeMs), options.nowMs);
      const groups = await groupRecords(await recordsOf(path, options.onRead), (record) => {
        const memory = memoryOf(record, name);
        if ('problem' in memory) {
          // As many as a person reads; the others are counted by what is missing.
          if (problems.length < MOST_PROBLEMS) problems.push(memory);
          return undefined;
        }
        const [kind, owner] = ownerOf(memory.value);
        return { key: JSON.stringify([kind, owner]), ms: createdMsOf(memory.value, options.nowMs) };
      });
      yield* problems;
      const handle = await open(path);
      try {
        for (const [key, group] of groups) {
          const [kind, owner] = JSON.parse(key) as [string, string];
          const place = `${name}, memories of ${kind === '' ? 'nobody' : `${kind} ${owner}`}`;
          const [createdMs, lastMs] = [group.firstMs ?? fallbackMs, group.lastMs ?? fallbackMs];
          const labels = kind === '' ? {} : { [kind]: labelOf(owner) };
          const source = { format: 'mem0', sourceId: `${kind}:${owner}`, title: owner || 'Mem0', labels, createdMs, lastMs, place };
          const session = new SessionLines(source, options);
          const first = session.begin();
          yield first;
          if (!isLine(first)) continue;
          for await (const record of readGroup(handle, group)) yield lineOfMemory(session, record, name, fallbackMs, options);
          yield session.end();
        }
      } finally {
        await handle.close();
      }
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      yield { place: name, problem: error.message };
    }
  },
};

const MOST_PROBLEMS = 1_000;

async function recordsOf(path: string, onRead: OnRead): Promise<RecordReader> {
  return (await isJsonLines(path)) ? readLineRecords(path, onRead) : readElements(path, ['results', 'memories', 'data'], onRead);
}

/** An object on the first line is a memory by itself, or the beginning of one that holds them all. */
async function isJsonLines(path: string): Promise<boolean> {
  if ((await firstByteOf(path)) !== '{') return false;
  for await (const { bytes } of readLineRecords(path)) {
    const parsed = parseRecord(bytes);
    return 'value' in parsed && textOfMemory(parsed.value) !== undefined;
  }
  return false;
}

function memoryOf({ number, bytes }: FileRecord, name: string): Problem | { readonly value: Record<string, unknown> } {
  const place = `${name}, memory ${number}`;
  const parsed = parseRecord(bytes);
  if ('problem' in parsed) return { place, problem: parsed.problem };
  if (!isObject(parsed.value) || textOfMemory(parsed.value) === undefined) return { place, problem: 'it has no text under “memory”' };
  return { value: parsed.value };
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

/** One that is too long for a label is known by its digest. */
function labelOf(owner: string): string {
  const label = storable(owner);
  return Array.from(label).length <= LONGEST_LABEL ? label : digestOf(owner).toString('hex');
}

function createdMsOf(memory: Readonly<Record<string, unknown>>, nowMs: number): number | undefined {
  return timeOf(fieldOf(memory, 'created_at'), nowMs) ?? timeOf(fieldOf(memory, 'updated_at'), nowMs);
}

function lineOfMemory(session: SessionLines, record: FileRecord, name: string, fallbackMs: number, { nowMs }: ImporterOptions) {
  const place = `${name}, memory ${record.number}`;
  const found = memoryOf(record, name);
  if ('problem' in found) return found;
  const { value } = found;
  const createdMs = createdMsOf(value, nowMs) ?? fallbackMs;
  const categories = fieldOf(value, 'categories');
  const isPreference =
    Array.isArray(categories) && categories.some((category) => typeof category === 'string' && PREFERENCE.test(category));
  const meta: Record<string, unknown> = { importedFrom: 'mem0' };
  for (const field of KEPT) {
    const kept = fieldOf(value, field);
    if (kept !== undefined && kept !== null) meta[field] = kept;
  }
  const expiresMs = timeOf(fieldOf(value, 'expiration_date'), Number.MAX_SAFE_INTEGER);
  return session.memory(
    {
      kind: isPreference ? 'preference' : 'fact',
      content: textOfMemory(value) as string,
      meta,
      expiresAt: expiresMs === undefined ? null : toTime(expiresMs),
    },
    {
      sourceId: textField(value, 'id') ?? `#${record.number}`,
      createdMs,
      updatedMs: timeOf(fieldOf(value, 'updated_at'), nowMs) ?? createdMs,
      place,
    },
  );
}
