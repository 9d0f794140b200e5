/** A continuous backup into a folder, for tests: what is shared by those of the engine, of restores and of buckets. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'vitest';
import { openSqlite, type SqliteDatabase } from '../sqlite/engine.ts';
import { newFolder, noteIds } from '../sqlite/open-for-test.ts';
import type { BackupOptions } from './protocol.ts';
import { type Restored, restoreFromTarget } from './restoring.ts';
import { openTarget } from './target.ts';

const HOUR_MS = 3_600_000;

/** Closing waits for the target for as long as it takes. */
export function backupTo(url: string, options: Partial<BackupOptions> = {}): BackupOptions {
  return {
    url,
    accessKeyId: undefined,
    secretAccessKey: undefined,
    sessionToken: undefined,
    intervalMs: 20,
    snapshotMs: 24 * HOUR_MS,
    retentionMs: 24 * HOUR_MS,
    spoolBytes: 1024 ** 3,
    finishMs: 300_000,
    ...options,
  };
}

export function folderUrl(folder: string): string {
  return pathToFileURL(folder).href;
}

export async function restoredNotes(
  backup: BackupOptions,
  options: { readonly atMs?: number; readonly lastWhole?: boolean } = {},
): Promise<{ readonly ids: string[]; readonly restored: Restored }> {
  const dataDir = newFolder();
  const restored = await restoreFromTarget(openTarget(backup), backup.url, dataDir, options);
  const db = await openSqlite({ dataDir });
  try {
    return { ids: await noteIds(db), restored };
  } finally {
    await db.close();
  }
}

/** Until the first snapshot is there: from then on points in time can be restored. */
export async function waitForSnapshots(db: SqliteDatabase, count = 1): Promise<void> {
  await expect.poll(() => db.gauges().backup_snapshots_total).toBeGreaterThanOrEqual(count);
}

/** The files of a folder and below, by their paths in it. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}
