/** Files as they are dropped or chosen, with the folders above them. */

export interface NamedFile {
  readonly file: File;
  /** `handbook/refunds.md`; a file on its own is only its name. */
  readonly path: string;
}

export interface GatheredFiles {
  readonly files: readonly NamedFile[];
  /** What lay in folders and can't be a document: other types, and hidden files. */
  readonly leftOut: number;
}

/** More at once would be a mistake: a whole disk, or node_modules. */
const MOST_FILES = 5_000;

const canBeDocument = (path: string) => /\.(?:md|txt)$/i.test(path) && !path.split('/').some((part) => part.startsWith('.'));

/** A file that was pointed at is sent, and refused by name; what lies in a folder with others is left out and counted. */
function sift(found: readonly NamedFile[]): GatheredFiles {
  const files = found.filter(({ path }) => !path.includes('/') || canBeDocument(path)).slice(0, MOST_FILES);
  return { files, leftOut: found.length - files.length };
}

/** A file that takes the place of another: in its folder, under its own name. */
export function besideOf({ path }: NamedFile, file: File): NamedFile {
  return { file, path: path.slice(0, path.lastIndexOf('/') + 1) + file.name };
}

export function chosenFiles(files: Iterable<File>): GatheredFiles {
  return sift(Array.from(files, (file) => ({ file, path: file.webkitRelativePath || file.name })));
}

/** The entries must be taken before the event ends, or the browser forgets them. */
export function droppedFiles({ items, files }: DataTransfer): Promise<GatheredFiles> {
  const entries = Array.from(items, (item) => item.webkitGetAsEntry?.()).filter((entry) => entry != null);
  if (!entries.some((entry) => entry.isDirectory)) return Promise.resolve(chosenFiles(files));
  return readEntries(entries).then(sift);
}

async function readEntries(entries: readonly FileSystemEntry[]): Promise<NamedFile[]> {
  const found: NamedFile[] = [];
  const queue = [...entries];
  for (let entry = queue.shift(); entry && found.length <= MOST_FILES; entry = queue.shift()) {
    if (entry.isDirectory) queue.push(...(await childrenOf(entry as FileSystemDirectoryEntry)));
    else found.push({ file: await fileOf(entry as FileSystemFileEntry), path: entry.fullPath.replace(/^\//, '') });
  }
  return found;
}

const fileOf = (entry: FileSystemFileEntry) => new Promise<File>((resolve, reject) => entry.file(resolve, reject));

/** A reader gives some at a time, and none at the end. */
async function childrenOf(directory: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = directory.createReader();
  const read = () => new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
  const children: FileSystemEntry[] = [];
  for (let some = await read(); some.length > 0; some = await read()) children.push(...some);
  return children;
}
