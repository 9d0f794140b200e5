/** What it takes to bring a workspace in step with a folder. Decides, and touches nothing. */
import type { Document } from '@commonplace/contract/documents';
import type { Folder, FolderFile, LeftOut } from './folder.ts';

export type SyncedDocument = Pick<Document, 'id' | 'externalId' | 'checksum' | 'title' | 'labels' | 'status' | 'error'>;

export interface Upload {
  readonly file: FolderFile;
  readonly kind: 'new' | 'changed';
}

export interface Deletion {
  readonly document: SyncedDocument;
  readonly path: string;
  /** Where its text comes to be found, if it does: it is deleted then. `documentId` is of the one that is there already. */
  readonly movedTo: { readonly file: FolderFile; readonly documentId: string | undefined } | undefined;
}

export interface Plan {
  readonly uploads: readonly Upload[];
  readonly deletions: readonly Deletion[];
  /** Those that are as in the folder, and could not be indexed. */
  readonly failed: readonly { readonly document: SyncedDocument; readonly path: string }[];
  readonly unchanged: number;
  /** Why nobody should do this without being asked once more. */
  readonly doubt: string | undefined;
}

/** The name of a folder among others in the workspace ends at the first colon: no name is the beginning of another. */
export const NAME_END = ':';

/** So few may go without a question, as long as others stay. */
const FEW_DELETIONS = 3;

/** `documents` are those of the folder alone; `labels` those that each of them is to have. */
export function planSync(
  prefix: string,
  { files, leftOut }: Folder,
  documents: readonly SyncedDocument[],
  labels: readonly string[],
): Plan {
  const byId = new Map(documents.map((document) => [document.externalId, document]));
  const uploads: Upload[] = [];
  const failed: Plan['failed'][number][] = [];
  for (const file of files) {
    const document = byId.get(file.externalId);
    if (!document) uploads.push({ file, kind: 'new' });
    else if (!isInStep(document, file, labels)) uploads.push({ file, kind: 'changed' });
    else if (document.status === 'failed') failed.push({ document, path: file.path });
  }
  const wanted = new Set(files.map(({ externalId }) => externalId));
  const isUploaded = new Set(uploads.map(({ file }) => file));
  const arriving = files.flatMap((file) => {
    const document = byId.get(file.externalId);
    const isThere = document?.status === 'indexed' && !isUploaded.has(file);
    return isThere ? [] : [[file.checksum, { file, documentId: document?.id }] as const];
  });
  const byChecksum = new Map(arriving);
  const deletions = documents.flatMap((document): Deletion[] => {
    const path = (document.externalId ?? '').slice(prefix.length);
    if (wanted.has(document.externalId ?? '') || isLeftAlone(path, leftOut)) return [];
    return [{ document, path, movedTo: byChecksum.get(document.checksum) }];
  });
  const unchanged = files.length - uploads.length - failed.length;
  return { uploads, deletions, failed, unchanged, doubt: doubtOf(deletions, documents.length) };
}

function isInStep(document: SyncedDocument, file: FolderFile, labels: readonly string[]): boolean {
  const hasSameLabels = document.labels.length === labels.length && document.labels.every((label, index) => label === labels[index]);
  return document.checksum === file.checksum && document.title === file.title && hasSameLabels;
}

/** There is a text that could not be read or taken: the document stays as it is. */
function isLeftAlone(path: string, leftOut: readonly LeftOut[]): boolean {
  return leftOut.some((left) => {
    const leftPath = left.path.normalize('NFC');
    return left.hasText && (leftPath === path || (leftPath.endsWith('/') && path.startsWith(leftPath)));
  });
}

/** A folder that is not mounted, or another one of the same name, looks as if everything were deleted. */
function doubtOf(deletions: readonly Deletion[], total: number): string | undefined {
  const gone = deletions.filter(({ movedTo }) => movedTo === undefined).length;
  if (gone === 0 || (gone < total && (gone <= FEW_DELETIONS || gone <= total / 2))) return undefined;
  return `${gone} of ${total} ${total === 1 ? 'document' : 'documents'} would be deleted`;
}
