/** Records by what they belong to, where a file has them in any order: it is read twice, and only their places are held. */
import type { FileHandle } from 'node:fs/promises';
import { type FileRecord, type RecordReader, UnreadableFile } from './records.ts';

/** Its place is held of each: 24 bytes. */
const MOST_RECORDS = 5_000_000;
const MOST_GROUPS = 1_000_000;

export interface RecordGroup {
  /** Number, offset and length of each, one after another. */
  readonly places: number[];
  /** Of the records that tell their time. */
  firstMs: number | undefined;
  lastMs: number | undefined;
}

/** By key, in the order in which each is first met. `keyOf` gives undefined for what is left out. */
export async function groupRecords(
  records: RecordReader,
  keyOf: (record: FileRecord) => { readonly key: string; readonly ms: number | undefined } | undefined,
): Promise<Map<string, RecordGroup>> {
  const groups = new Map<string, RecordGroup>();
  let count = 0;
  for await (const record of records) {
    const found = keyOf(record);
    if (!found) continue;
    if (++count > MOST_RECORDS) throw new UnreadableFile(`there are more than ${MOST_RECORDS} in it; divide it`);
    let group = groups.get(found.key);
    if (!group) {
      if (groups.size >= MOST_GROUPS) throw new UnreadableFile(`there are more than ${MOST_GROUPS} sessions in it; divide it`);
      group = { places: [], firstMs: undefined, lastMs: undefined };
      groups.set(found.key, group);
    }
    group.places.push(record.number, record.offset, record.length);
    if (found.ms === undefined) continue;
    group.firstMs = Math.min(group.firstMs ?? found.ms, found.ms);
    group.lastMs = Math.max(group.lastMs ?? found.ms, found.ms);
  }
  return groups;
}

/** The records of a group, from where they lie. */
export async function* readGroup(handle: FileHandle, { places }: RecordGroup): AsyncGenerator<FileRecord, void> {
  for (let index = 0; index < places.length; index += 3) {
    const [number, offset, length] = places.slice(index, index + 3) as [number, number, number];
    const bytes = Buffer.alloc(length);
    const { bytesRead } = await handle.read(bytes, 0, length, offset);
    yield { number, offset, length, bytes: bytes.subarray(0, bytesRead) };
  }
}
