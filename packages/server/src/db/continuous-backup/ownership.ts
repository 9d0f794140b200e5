/** Who writes to a target: one data folder, and one run of the service on it. */
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { OWNER } from './names.ts';
import type { Target } from './target.ts';
import { isSameTarget } from './target-url.ts';

export interface Owner {
  /** The data folder, by a random id that it keeps. */
  readonly folder: string;
  /** The process; empty where the next one of that folder may begin. */
  readonly run: string;
  readonly host: string;
  readonly dataDir: string;
  readonly since: string;
}

/** The target is somebody else's. */
export class TargetTaken extends Error {
  /** Taken from this process while it ran; it must not take it back. */
  readonly isFinal: boolean;
  constructor({ host, dataDir, since }: Owner, isFinal: boolean) {
    super(
      `The target belongs to the data folder ${dataDir} on ${host}, since ${since}. ` +
        'Point COMMONPLACE_BACKUP_URL somewhere else; or, where that one will never run again, run "commonplace backup --take-over" here.',
    );
    this.name = 'TargetTaken';
    this.isFinal = isFinal;
  }
}

/** What was sent to the target is not there: it was emptied, or it is a mount point with nothing mounted. */
export class TargetGone extends Error {
  constructor() {
    super(
      'The target does not hold what was sent there: it was emptied, or is not mounted. ' +
        'Where that is meant, "commonplace backup --take-over" lets the backup begin anew in it.',
    );
    this.name = 'TargetGone';
  }
}

const FOLDER_ID_FILE = 'folder-id';
/** Holds the address of the target that this folder has taken. */
const CLAIMED_FILE = 'claimed-target';

export function newOwner(spoolFolder: string, dataDir: string): Owner {
  return { folder: keepFolderId(spoolFolder), run: randomUUID(), host: hostname(), dataDir, since: new Date().toISOString() };
}

/** Undefined before the first backup. */
export function readFolderId(spoolFolder: string): string | undefined {
  try {
    return readFileSync(join(spoolFolder, FOLDER_ID_FILE), 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

function keepFolderId(spoolFolder: string): string {
  const known = readFolderId(spoolFolder);
  if (known) return known;
  const id = randomUUID();
  writeFileSync(join(spoolFolder, FOLDER_ID_FILE), `${id}\n`, { mode: 0o600, flush: true });
  return id;
}

export async function readOwner(target: Target): Promise<Owner | undefined> {
  const bytes = await target.get(OWNER);
  return bytes && (JSON.parse(bytes.toString('utf8')) as Owner);
}

export async function writeOwner(target: Target, owner: Owner): Promise<void> {
  await target.put(OWNER, Buffer.from(`${JSON.stringify(owner)}\n`));
}

/** Takes a target that is free, or that an earlier run on the same folder had. One that was taken before must say so. */
export async function claimTarget(target: Target, me: Owner, spoolFolder: string, url: string): Promise<void> {
  const found = await readOwner(target);
  if (found && found.folder !== me.folder) throw new TargetTaken(found, false);
  const claimed = readClaimed(spoolFolder);
  if (!found && claimed !== undefined && isSameTarget(claimed, url)) throw new TargetGone();
  await writeOwner(target, me);
  // Two that found it free at the same moment: the one that wrote last has it.
  await requireOwner(target, me);
  writeFileSync(join(spoolFolder, CLAIMED_FILE), url, { mode: 0o600, flush: true });
}

function readClaimed(spoolFolder: string): string | undefined {
  try {
    return readFileSync(join(spoolFolder, CLAIMED_FILE), 'utf8');
  } catch {
    return undefined;
  }
}

/** False where it was given to this folder anew, and has to be claimed. */
export async function requireOwner(target: Target, me: Owner): Promise<boolean> {
  const found = await readOwner(target);
  if (!found) throw new TargetGone();
  if (found.folder === me.folder && found.run === '') return false;
  if (found.run === me.run) return true;
  // A bucket may answer with what was there before; a later run of the same folder is a copy of it.
  if (found.folder === me.folder && found.since <= me.since)
    throw new Error('The target still names an earlier run on this data folder; it is asked again');
  throw new TargetTaken(found, true);
}
