/** Sessions of a file whose records name the session that they belong to, in whatever order they stand. */
import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { groupRecords, readGroup } from './grouped-records.ts';
import { type ImportedItem, type ImporterOptions, type Items, isLine, type Problem } from './items.ts';
import { type FileRecord, type RecordReader, UnreadableFile } from './records.ts';
import { SessionLines, type SessionSource } from './session-lines.ts';

export interface GroupedFormat<Found> {
  recordsOf(path: string, options: ImporterOptions): Promise<RecordReader>;
  /** Undefined for what is left out on purpose. */
  read(record: FileRecord, name: string, options: ImporterOptions): Found | Problem | undefined;
  keyOf(found: Found, name: string): string;
  msOf(found: Found): number | undefined;
  sessionOf(key: string, name: string): Omit<SessionSource, 'createdMs' | 'lastMs'>;
  /** `fallbackMs` is when the file was last changed. */
  lineOf(session: SessionLines, found: Found, fallbackMs: number): ImportedItem;
}

/** So many are named, in a file that holds something else altogether. */
const MOST_PROBLEMS = 1_000;

export async function* readGroupedSessions<Found extends object>(
  path: string,
  format: GroupedFormat<Found>,
  options: ImporterOptions,
): Items {
  const name = basename(path);
  try {
    yield* readSessions(path, name, format, options);
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    yield { place: name, problem: error.message };
  }
}

async function* readSessions<Found extends object>(
  path: string,
  name: string,
  format: GroupedFormat<Found>,
  options: ImporterOptions,
): Items {
  const problems: Problem[] = [];
  let problemCount = 0;
  const file = await stat(path);
  if (file.isDirectory()) throw new Error(`${path} is a folder; name a file in it`);
  const fallbackMs = Math.min(Math.max(Math.floor(file.mtimeMs), 0), options.nowMs);
  const groups = await groupRecords(await format.recordsOf(path, options), (record) => {
    const found = format.read(record, name, options);
    if (found === undefined) return undefined;
    if (!isProblem(found)) return { key: format.keyOf(found, name), ms: format.msOf(found) };
    if (++problemCount <= MOST_PROBLEMS) problems.push(found);
    return undefined;
  });
  yield* problems;
  if (problemCount > MOST_PROBLEMS) yield { place: name, problem: `${problemCount - MOST_PROBLEMS} more can't be read` };
  await using handle = await open(path);
  for (const [key, group] of groups) {
    const times = { createdMs: group.firstMs ?? fallbackMs, lastMs: group.lastMs ?? fallbackMs };
    const session = new SessionLines({ ...format.sessionOf(key, name), ...times }, options);
    const first = session.begin();
    yield first;
    if (!isLine(first)) continue;
    for await (const record of readGroup(handle, group)) {
      const found = format.read(record, name, options);
      if (found !== undefined) yield isProblem(found) ? found : format.lineOf(session, found, fallbackMs);
    }
    yield session.end();
  }
}

function isProblem(found: object): found is Problem {
  return 'problem' in found;
}
