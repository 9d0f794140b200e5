/** The continuous backup as commands see it: what it can restore, and whose it is. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type Config, readConfig } from '../config.ts';
import { newOwner, readFolderId, readOwner, writeOwner } from '../db/continuous-backup/ownership.ts';
import { type GenerationSummary, summarize } from '../db/continuous-backup/restore-points.ts';
import { makeSpool, SPOOL_FOLDER } from '../db/continuous-backup/spool.ts';
import { openTarget, type Target } from '../db/continuous-backup/target.ts';
import { readTargetUrl } from '../db/continuous-backup/target-url.ts';
import { type Arguments, textOf, UsageError } from './command.ts';

/** The target that the arguments name, or else the settings. The keys are those of the environment. */
export function targetOf(given: Arguments): { readonly target: Target; readonly url: string } {
  const named = textOf(given, 'from');
  const url = named ?? readConfig(process.env).backup?.url;
  if (url === undefined) throw new UsageError('--from is needed where COMMONPLACE_BACKUP_URL is not set');
  if (!readTargetUrl(url)) throw new UsageError('--from is file:///folder or s3://bucket/prefix, without keys in it');
  const config = readConfig({ ...process.env, COMMONPLACE_BACKUP_URL: url }).backup as NonNullable<Config['backup']>;
  return { target: openTarget(config), url };
}

export async function describePoints(target: Target): Promise<string> {
  const summaries = await summarize(target);
  const lines = summaries.map(describeGeneration);
  return lines.length === 0 ? 'There is no backup yet.\n' : lines.join('');
}

function describeGeneration({ generation, range, snapshots, segmentsCount, sizeBytes }: GenerationSummary): string {
  const contents = `${snapshots.length} ${snapshots.length === 1 ? 'snapshot' : 'snapshots'}, ${segmentsCount} ${segmentsCount === 1 ? 'segment' : 'segments'}, ${(sizeBytes / 1e6).toFixed(1)} MB`;
  const points = range
    ? `from ${toTime(range.fromMs)} to ${toTime(range.toMs)}`
    : 'nothing can be restored before its first snapshot is finished';
  return `${generation}: ${points} (${contents})\n`;
}

export async function takeOver(target: Target, dataDir: string): Promise<string> {
  const spoolFolder = join(dataDir, SPOOL_FOLDER);
  const before = await readOwner(target);
  makeSpool(spoolFolder);
  await writeOwner(target, { ...newOwner(spoolFolder, dataDir), run: '' });
  return before ? `Taken over from ${before.dataDir} on ${before.host}.\n` : 'Taken; nobody had it.\n';
}

/** For `doctor`. */
export async function examineBackup(
  config: NonNullable<Config['backup']>,
  dataDir: string,
): Promise<{ readonly problem: boolean; readonly text: string }> {
  const target = openTarget(config);
  await tryOut(target);
  const owner = await readOwner(target);
  if (owner && owner.folder !== readFolderId(join(dataDir, SPOOL_FOLDER))) {
    return { problem: true, text: `The target belongs to ${owner.dataDir} on ${owner.host}: name another, or run "backup --take-over".` };
  }
  const newest = (await summarize(target)).findLast(({ range }) => range)?.range;
  if (!newest) return { problem: false, text: 'The target can be written; there is no backup in it yet.' };
  const seconds = Math.round((Date.now() - newest.toMs) / 1000);
  return { problem: false, text: `The target can be written; its newest point is of ${toTime(newest.toMs)}, ${seconds} s ago.` };
}

async function tryOut(target: Target): Promise<void> {
  const name = `doctor-${randomUUID()}`;
  const bytes = Buffer.from(name);
  await target.put(name, bytes);
  const read = await target.get(name);
  await target.remove([name]);
  if (!read?.equals(bytes)) throw new Error('what was written there was not read back');
}

export function toTime(ms: number): string {
  return new Date(ms).toISOString();
}
