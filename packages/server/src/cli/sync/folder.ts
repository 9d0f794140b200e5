/** The texts of a folder, each with what is compared: read one at a time, and none of them kept. */
import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, extname, join, sep } from 'node:path';
import { LARGEST_FILE_BYTES } from '@commonplace/contract/documents';
import { lengthOf } from '@commonplace/contract/lengths';
import { markdownBlocks } from '../../documents/blocks.ts';
import { uploadedText } from '../../documents/rules.ts';

const LONGEST_TITLE = 255;
const LONGEST_EXTERNAL_ID = 255;

export interface FolderFile {
  /** Relative to the folder, with `/`. */
  readonly path: string;
  readonly externalId: string;
  readonly checksum: string;
  readonly title: string;
}

export interface LeftOut {
  /** That of a folder ends with `/`. */
  readonly path: string;
  readonly reason: string;
  /** Whether there is a text that can't be taken: then the document that was made of it before is left as it is. */
  readonly hasText: boolean;
  readonly isFailure: boolean;
}

export interface Folder {
  readonly files: FolderFile[];
  readonly leftOut: LeftOut[];
}

export interface FolderText extends FolderFile {
  readonly filename: string;
  readonly bytes: Buffer<ArrayBuffer>;
}

/** `externalIdOf` names the document of a path. */
export async function readFolder(root: string, externalIdOf: (path: string) => string): Promise<Folder> {
  const found: Folder = { files: [], leftOut: [] };
  const realRoot = await realpath(root);
  const seen = new Set<string>();
  const leaveOut = (path: string, reason: string, kind: Partial<LeftOut> = {}) =>
    found.leftOut.push({ path, reason, hasText: false, isFailure: false, ...kind });
  const takeFile = async (path: string) => {
    const externalId = externalIdOf(path);
    if (/\p{Cc}/u.test(path)) return leaveOut(path, 'its name has control characters');
    if (lengthOf(externalId) > LONGEST_EXTERNAL_ID) return leaveOut(path, `its id would have more than ${LONGEST_EXTERNAL_ID} characters`);
    if (seen.has(externalId))
      return leaveOut(path, 'its name differs from another’s only in how its letters are encoded', { hasText: true });
    seen.add(externalId);
    const text = await readText(root, path, externalId);
    if (typeof text === 'string') return leaveOut(path, text, { hasText: true });
    if (text === undefined) return leaveOut(path, 'it is empty');
    const { bytes: _, filename: __, ...file } = text;
    return found.files.push(file);
  };
  const takeEntry = async (entry: Dirent, path: string) => {
    const kind = entry.isSymbolicLink() ? await linkedKind(realRoot, join(root, path)) : kindOf(entry);
    const isText = /\.(md|txt)$/i.test(entry.name);
    if (kind === 'other' || ((kind === 'file' || kind === 'outside') && !isText)) return;
    const shown = kind === 'folder' ? `${path}/` : path;
    if (entry.name.startsWith('.')) leaveOut(shown, 'it is hidden');
    else if (kind === 'outside' || kind === 'outside folder') leaveOut(shown, 'it is a link that leads out of the folder, or nowhere');
    else if (kind === 'linked folder') leaveOut(shown, 'it is a link to a folder');
    else if (kind === 'folder' && entry.name === 'node_modules') leaveOut(shown, 'it holds packages');
    else if (kind === 'folder') await takeFolder(path);
    else await takeFile(path);
  };
  const takeFolder = async (folder: string) => {
    const entries = await attempt(() => readdir(join(root, folder), { withFileTypes: true }));
    if (typeof entries === 'string' && folder === '') throw new Error(`${root}: ${entries}`);
    if (typeof entries === 'string') return leaveOut(`${folder}/`, entries, { hasText: true, isFailure: true });
    for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      const failure = await attempt(() => takeEntry(entry, path));
      if (typeof failure === 'string') leaveOut(path, failure, { hasText: true, isFailure: true });
    }
  };
  await takeFolder('');
  return found;
}

/** The text as it is to be uploaded; why it can't be; undefined where there is none. */
export async function readText(root: string, path: string, externalId: string): Promise<FolderText | string | undefined> {
  const place = join(root, ...path.split('/'));
  if ((await stat(place)).size > LARGEST_FILE_BYTES) return 'File must not exceed 2 MB';
  const bytes = await readFile(place);
  let read: ReturnType<typeof uploadedText>;
  try {
    read = uploadedText({ filename: basename(path), bytes, isTooLarge: false });
  } catch (error) {
    return (error as Error).message;
  }
  if (read.text.trim() === '') return undefined;
  const checksum = createHash('sha256').update(bytes).digest('hex');
  return { path, externalId, checksum, title: titleOf(path, read.text), filename: read.filename, bytes };
}

/** The first heading of the first level, or else the name of the file. */
export function titleOf(path: string, text: string): string {
  const name = basename(path, extname(path));
  const heading = /\.md$/i.test(path)
    ? markdownBlocks(text).find(({ kind, level }) => kind === 'heading' && level === 1)?.title
    : undefined;
  const storable = (title: string) =>
    title
      .replaceAll(/\p{Cc}/gu, ' ')
      .toWellFormed()
      .trim();
  const title = storable(heading ?? '') || storable(name) || basename(path);
  return Array.from(title.slice(0, 2 * LONGEST_TITLE))
    .slice(0, LONGEST_TITLE)
    .join('')
    .trim();
}

type Kind = 'file' | 'folder' | 'linked folder' | 'outside' | 'outside folder' | 'other';

function kindOf(entry: Pick<Dirent, 'isFile' | 'isDirectory'>): Kind {
  if (entry.isFile()) return 'file';
  return entry.isDirectory() ? 'folder' : 'other';
}

/** A link to a folder is not followed: what is in the folder is read where it is. */
async function linkedKind(realRoot: string, link: string): Promise<Kind> {
  const target = await attempt(() => realpath(link));
  const isInside = target === realRoot || target.startsWith(realRoot.endsWith(sep) ? realRoot : `${realRoot}${sep}`);
  const found = await attempt(() => stat(link));
  const kind = typeof found === 'string' ? 'other' : kindOf(found);
  if (!isInside) return kind === 'folder' ? 'outside folder' : 'outside';
  return kind === 'folder' ? 'linked folder' : kind;
}

/** The reason in place of a result, where the file system refuses. */
async function attempt<T>(work: () => Promise<T>): Promise<T | string> {
  try {
    return await work();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return `it can't be read (${code}: ${message.split(',')[0]})`;
  }
}
