/** The settings of the continuous backup. */
import { readTargetUrl } from './db/continuous-backup/target-url.ts';

export interface BackupConfig {
  readonly url: string;
  readonly accessKeyId: string | undefined;
  readonly secretAccessKey: string | undefined;
  readonly sessionToken: string | undefined;
  readonly intervalMs: number;
  readonly snapshotMs: number;
  readonly retentionMs: number;
  /** What may wait in the data folder while the target is away. */
  readonly spoolBytes: number;
}

export const backupSettings = [
  {
    name: 'COMMONPLACE_BACKUP_URL',
    allowed: 'file:///folder, or s3://bucket/prefix with ?endpoint=https://host and &region=name where needed; keys are no part of it',
    fallback: 'none: no continuous backup',
    meaning: 'Where the embedded engine copies everything that is written, continuously.',
  },
  {
    name: 'COMMONPLACE_BACKUP_INTERVAL_SECONDS',
    allowed: 'a whole number from 1 to 3600',
    fallback: '1',
    meaning: 'How often what was written since is sent there, as one object.',
  },
  {
    name: 'COMMONPLACE_BACKUP_SNAPSHOT_HOURS',
    allowed: 'a whole number from 1 to 8760',
    fallback: '24',
    meaning: 'How often the whole database is sent there. A restore begins with the last one.',
  },
  {
    name: 'COMMONPLACE_BACKUP_RETENTION_HOURS',
    allowed: 'a whole number from 1 to 87600',
    fallback: '72',
    meaning: 'How far back in time a restore can go. What is older is deleted there.',
  },
  {
    name: 'COMMONPLACE_BACKUP_SPOOL_MB',
    allowed: 'a whole number from 1 to 1000000',
    fallback: '1024',
    meaning: 'What may wait in the data folder while the target is away, in megabytes; beyond it the backup begins anew.',
  },
  { name: 'AWS_ACCESS_KEY_ID', allowed: 'a key', fallback: 'none', meaning: 'The key for a backup at s3://.' },
  { name: 'AWS_SECRET_ACCESS_KEY', allowed: 'a secret', fallback: 'none', meaning: 'The secret of that key.' },
  { name: 'AWS_SESSION_TOKEN', allowed: 'a token', fallback: 'none', meaning: 'The token of a key that ends by itself.' },
] as const;

type Name = (typeof backupSettings)[number]['name'];

const HOUR_MS = 60 * 60 * 1000;

export function readBackupSettings(
  read: (name: Name) => string | undefined,
  checked: <T>(name: Name, parse: (text: string) => T | undefined) => T | undefined,
  wholeNumber: (min: number, max: number) => (text: string) => number | undefined,
): BackupConfig | undefined {
  const url = checked('COMMONPLACE_BACKUP_URL', (text) => readTargetUrl(text) && text);
  const intervalSeconds = checked('COMMONPLACE_BACKUP_INTERVAL_SECONDS', wholeNumber(1, 3600)) ?? 1;
  const snapshotHours = checked('COMMONPLACE_BACKUP_SNAPSHOT_HOURS', wholeNumber(1, 8760)) ?? 24;
  const retentionHours = checked('COMMONPLACE_BACKUP_RETENTION_HOURS', wholeNumber(1, 87_600)) ?? 72;
  const spoolMegabytes = checked('COMMONPLACE_BACKUP_SPOOL_MB', wholeNumber(1, 1_000_000)) ?? 1024;
  if (url === undefined) return undefined;
  return {
    url,
    accessKeyId: read('AWS_ACCESS_KEY_ID'),
    secretAccessKey: read('AWS_SECRET_ACCESS_KEY'),
    sessionToken: read('AWS_SESSION_TOKEN'),
    intervalMs: intervalSeconds * 1000,
    snapshotMs: snapshotHours * HOUR_MS,
    retentionMs: retentionHours * HOUR_MS,
    spoolBytes: spoolMegabytes * 1024 * 1024,
  };
}
