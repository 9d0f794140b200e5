/** A folder of `.md` and `.txt` files, as documents that are known by their paths. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readFolder, readText } from '../sync/folder.ts';
import { digestOf, type Importer, type Items, lineOf, timelessId, toTime } from './items.ts';

export const markdown: Importer = {
  async *read(path, { workspaceId, nowMs, onRead }): Items {
    if (!(await stat(path)).isDirectory()) throw new Error(`${path} is no folder`);
    const { files, leftOut } = await readFolder(path, (name) => name.normalize('NFC'));
    for (const { path: place, reason, hasText } of leftOut) yield { place, problem: reason, isHarmless: !hasText };
    for (const { path: place, externalId } of files) {
      const text = await readText(path, place, externalId);
      if (text === undefined || typeof text === 'string') {
        // It was another a moment ago.
        yield { place, problem: text ?? 'it is empty' };
        continue;
      }
      const { mtimeMs } = await stat(join(path, ...place.split('/')));
      const changedAt = toTime(Math.min(Math.max(Math.floor(mtimeMs), 0), nowMs));
      onRead?.(text.bytes.length);
      yield lineOf(
        'document',
        {
          id: timelessId(digestOf(workspaceId, 'markdown', externalId)),
          externalId,
          title: text.title,
          filename: text.filename,
          labels: [],
          content: text.bytes.toString('base64'),
          createdAt: changedAt,
          updatedAt: changedAt,
        },
        place,
      );
    }
  },
};
