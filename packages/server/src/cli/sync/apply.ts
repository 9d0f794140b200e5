/** Applies a plan: a few uploads at a time, then what is gone; a line for each, and what goes wrong with one keeps no other. */
import { type Commonplace, type Document, IndexingFailedError, NotFoundError, WaitTimeoutError } from '@commonplace/client';
import { type Folder, readText } from './folder.ts';
import type { Deletion, Plan, Upload } from './plan.ts';

const UPLOADS_AT_ONCE = 4;
const DELETIONS_AT_ONCE = 8;
/** So long a renamed text is waited for until it is found by its new name. */
const LOOK_FOR_MS = 10 * 60_000;

/** Of a workspace of a running service. Whatever is asked may be asked again: nothing happens twice. */
export type Documents = Commonplace['documents'];

export interface Outcome {
  added: number;
  changed: number;
  moved: number;
  deleted: number;
  unchanged: number;
  leftOut: number;
  failed: number;
}

export interface SyncTarget {
  readonly root: string;
  readonly labels: readonly string[];
  readonly documents: Documents;
  readonly isDryRun: boolean;
}

export async function applyPlan(target: SyncTarget, { leftOut }: Folder, plan: Plan): Promise<Outcome> {
  const outcome: Outcome = { added: 0, changed: 0, moved: 0, deleted: 0, unchanged: plan.unchanged, leftOut: 0, failed: 0 };
  for (const { path, reason, isFailure } of leftOut) {
    outcome[isFailure ? 'failed' : 'leftOut']++;
    say(isFailure ? 'failed' : 'skipped', path, reason);
  }
  /** One that fails is said and counted, and the others go on. */
  const settle = async (path: string, count: keyof Outcome, work: () => Promise<void>) => {
    try {
      if (!target.isDryRun) await work();
      outcome[count]++;
    } catch (error) {
      outcome.failed++;
      say('failed', path, (error as Error).message);
    }
  };
  const uploaded = new Map<string, Document>();
  await eachAtOnce(UPLOADS_AT_ONCE, plan.uploads, ({ file, kind }) =>
    settle(file.path, kind === 'new' ? 'added' : 'changed', async () => {
      uploaded.set(file.externalId, await upload(target, file));
      say(kind, file.path);
    }),
  );
  await eachAtOnce(UPLOADS_AT_ONCE, plan.failed, ({ document, path }) =>
    settle(path, 'changed', async () => {
      await target.documents.reindex(document.id);
      say('again', path, `it could not be indexed: ${document.error}`);
    }),
  );
  const isPlanned = new Set(plan.uploads.map(({ file }) => file));
  const successorOf = ({ movedTo }: Deletion) =>
    movedTo && (isPlanned.has(movedTo.file) ? uploaded.get(movedTo.file.externalId)?.id : movedTo.documentId);
  await eachAtOnce(DELETIONS_AT_ONCE, plan.deletions, (deletion) =>
    settle(deletion.path, deletion.movedTo ? 'moved' : 'deleted', () => deleteWhenMoved(target, deletion, successorOf(deletion))),
  );
  if (target.isDryRun) announce(plan);
  return outcome;
}

/** As it is now: it may have changed since it was compared. */
async function upload({ root, labels, documents }: SyncTarget, { path, externalId }: Upload['file']): Promise<Document> {
  const text = await readText(root, path, externalId);
  if (typeof text === 'string') throw new Error(text);
  if (text === undefined) throw new Error('it was emptied meanwhile');
  const { bytes, filename, title } = text;
  return documents.upload(bytes, { filename, title, externalId, labels: [...labels] });
}

/** The text of a renamed file is found by its old name until it is found by its new one. */
async function deleteWhenMoved({ documents }: SyncTarget, deletion: Deletion, successorId: string | undefined): Promise<void> {
  if (deletion.movedTo && successorId === undefined) throw new Error('it is kept, because its new name could not be uploaded');
  if (successorId !== undefined) await waitUntilIndexed(documents, successorId);
  await deleteDocument(documents, deletion.document.id);
  sayDeletion(deletion);
}

function sayDeletion({ path, movedTo }: Deletion): void {
  if (movedTo) say('renamed', path, `now ${movedTo.file.path}`);
  else say('deleted', path);
}

/** One that is gone already is as good as deleted. */
async function deleteDocument(documents: Documents, documentId: string): Promise<void> {
  try {
    await documents.delete(documentId);
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
  }
}

async function waitUntilIndexed(documents: Documents, documentId: string): Promise<void> {
  try {
    await documents.waitUntilIndexed(documentId, { timeoutMs: LOOK_FOR_MS });
  } catch (error) {
    if (error instanceof IndexingFailedError)
      throw new Error(`it is kept, because its new name could not be indexed: ${error.document.error}`);
    if (error instanceof WaitTimeoutError)
      throw new Error('it is kept, because its new name is still not indexed; the next run looks again');
    throw error;
  }
}

function announce({ uploads, failed, deletions }: Plan): void {
  for (const { file, kind } of uploads) say(kind, file.path);
  for (const { path, document } of failed) say('again', path, `it could not be indexed: ${document.error}`);
  deletions.forEach(sayDeletion);
}

async function eachAtOnce<T>(most: number, items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const worker = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, worker));
}

type Word = 'new' | 'changed' | 'again' | 'renamed' | 'deleted' | 'skipped' | 'failed';

function say(word: Word, path: string, reason?: string): void {
  const line = `${word.padEnd(8)} ${printable(path)}${reason === undefined ? '' : ` (${printable(reason)})`}\n`;
  (word === 'failed' ? process.stderr : process.stdout).write(line);
}

/** A name may hold what would move the cursor of a terminal. */
function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]/gu, '?');
}
