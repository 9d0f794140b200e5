/** Messages as JSON Lines (or as a JSON list): those of LangChain in its three forms, and plain ones with a role and a content. */
import { open, stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { groupRecords, readGroup } from './grouped-records.ts';
import { type Importer, isLine, type Problem } from './items.ts';
import { readMessage } from './langchain-message.ts';
import { firstByteOf, type OnRead, type RecordReader, readElements, readLineRecords, UnreadableFile } from './records.ts';
import { SessionLines } from './session-lines.ts';

const MOST_PROBLEMS = 1_000;

export const langchain: Importer = {
  agentName: 'LangChain',
  async *read(path, options) {
    const name = basename(path);
    const ownSession = basename(name, extname(name)) || name;
    const problems: Problem[] = [];
    try {
      const fallbackMs = Math.min(Math.floor((await stat(path)).mtimeMs), options.nowMs);
      const groups = await groupRecords(await recordsOf(path, options.onRead), (record) => {
        const message = readMessage(record, name, options.nowMs);
        if (message === undefined) return undefined;
        if ('problem' in message) {
          if (problems.length < MOST_PROBLEMS) problems.push(message);
          return undefined;
        }
        return { key: message.session ?? ownSession, ms: message.ms };
      });
      yield* problems;
      const handle = await open(path);
      try {
        for (const [key, group] of groups) {
          const [createdMs, lastMs] = [group.firstMs ?? fallbackMs, group.lastMs ?? fallbackMs];
          const source = {
            format: 'langchain',
            sourceId: key,
            title: key,
            createdMs,
            lastMs,
            place: `${name}, session ${key.slice(0, 100)}`,
          };
          const session = new SessionLines(source, options);
          const first = session.begin();
          yield first;
          if (!isLine(first)) continue;
          for await (const record of readGroup(handle, group)) {
            const message = readMessage(record, name, options.nowMs);
            if (message === undefined) continue;
            yield 'problem' in message ? message : session.message(message);
          }
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

async function recordsOf(path: string, onRead: OnRead): Promise<RecordReader> {
  const first = await firstByteOf(path);
  if (first === '') throw new UnreadableFile('it is empty');
  return first === '[' ? readElements(path, [], onRead) : readLineRecords(path, onRead);
}
