/** Messages as JSON Lines (or as a JSON list): those of LangChain in its three forms, and plain ones with a role and a content. */
import { basename, extname } from 'node:path';
import { readGroupedSessions } from './grouped-sessions.ts';
import type { Importer } from './items.ts';
import { readMessage } from './langchain-message.ts';
import { firstByteOf, readElements, readLineRecords, UnreadableFile } from './records.ts';

export const langchain: Importer = {
  agentName: 'LangChain',
  read: (path, options) =>
    readGroupedSessions(
      path,
      {
        recordsOf: async (file, { onRead }) => {
          const first = await firstByteOf(file);
          if (first === '') throw new UnreadableFile('it is empty');
          return first === '[' ? readElements(file, [], onRead) : readLineRecords(file, onRead);
        },
        read: (record, name, { nowMs }) => readMessage(record, name, nowMs),
        keyOf: ({ session }, name) => session ?? (basename(name, extname(name)) || name),
        msOf: ({ ms }) => ms,
        sessionOf: (key, name) => ({ format: 'langchain', sourceId: key, title: key, place: `${name}, session ${key.slice(0, 100)}` }),
        lineOf: (session, message) => session.message(message),
      },
      options,
    ),
};
