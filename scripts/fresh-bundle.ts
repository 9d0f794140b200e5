/**
 * Whether a bundle of the server is what would be built now: it notes every file that went into it, and is asked at each start.
 * It is part of the bundle, so that asking needs no compiler: nothing but Node's own may be imported.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const MANIFEST = 'manifest.json';

/** Times are those of the system, with fractions. What has the same size and times is not read. */
type Source = readonly [path: string, sizeBytes: number, modifiedMs: number, changedMs: number, hash: string];

interface Manifest {
  /** Their paths are from the root of the repository. */
  readonly sources: readonly Source[];
  /** What is read as a folder, so that another file in it counts. */
  readonly folders: readonly (readonly [path: string, names: readonly string[]])[];
  /** Files of the bundle itself; what Node compiled of them comes and goes. */
  readonly outputs: readonly (readonly [path: string, sizeBytes: number])[];
}

export interface BundleInputs {
  /** Absolute paths. */
  readonly files: readonly string[];
  readonly folders: readonly string[];
  /** What changed at this time or later may be in the bundle as it was before. */
  readonly readSinceMs: number;
}

/** Written last: a folder without it is no bundle. */
export function writeManifest(bundle: string, root: string, { files, folders, readSinceMs }: BundleInputs): void {
  const listed = folders.map((folder) => [relative(root, folder), filesIn(folder)] as const);
  const inFolders = listed.flatMap(([folder, names]) => names.map((name) => join(root, folder, name)));
  const sources = [...new Set([...files, ...inFolders])].sort().map((file): Source => {
    const hash = hashOf(file);
    // After it was read: a change in between shows.
    const { size, mtimeMs, ctimeMs } = statSync(file);
    if (Math.max(mtimeMs, ctimeMs) >= readSinceMs) throw new Error(`${file} changed while the server was built`);
    return [relative(root, file), size, mtimeMs, ctimeMs, hash];
  });
  const app = join(bundle, 'app');
  const outputs = filesIn(app).map((name) => [join('app', name), statSync(join(app, name)).size] as const);
  writeFileSync(join(bundle, MANIFEST), JSON.stringify({ sources, folders: listed, outputs } satisfies Manifest));
}

/** Undefined where it is; else what is not as it was. Throws where the bundle is damaged. */
export function findDifference(bundle: string, root: string): string | undefined {
  const { sources, folders, outputs } = JSON.parse(readFileSync(join(bundle, MANIFEST), 'utf8')) as Manifest;
  // Not `join`, which takes longer than to ask for a file's size and times.
  for (const [path, size] of outputs) if (sizeOf(`${bundle}/${path}`) !== size) return path;
  for (const source of sources) if (!isSame(`${root}/${source[0]}`, source)) return source[0];
  for (const [path, names] of folders) if (filesIn(`${root}/${path}`).join('\n') !== names.join('\n')) return path;
  return undefined;
}

function isSame(file: string, [, size, modifiedMs, changedMs, hash]: Source): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found || found.size !== size) return false;
  // Touched, copied or checked out anew: what is in it decides.
  return (found.mtimeMs === modifiedMs && found.ctimeMs === changedMs) || hashOf(file) === hash;
}

function sizeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}

/** Loaded when it is needed, which is seldom. */
function hashOf(file: string): string {
  return process.getBuiltinModule('node:crypto').hash('sha256', readFileSync(file), 'base64url');
}
