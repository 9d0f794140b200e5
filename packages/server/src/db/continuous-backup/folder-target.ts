/** A folder as a target: of another disk, or of another machine that is mounted. */
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { StoredObject, Target } from './target.ts';

export class FolderTarget implements Target {
  readonly #folder: string;
  readonly #made = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    const file = join(this.#folder, name);
    const folder = dirname(file);
    const temporary = `${file}.tmp`;
    try {
      await this.#make(folder);
      await writeFile(temporary, bytes, { mode: 0o600, flush: true });
      await rename(temporary, file);
    } catch (error) {
      this.#made.delete(folder);
      await rm(temporary, { force: true }).catch(() => undefined);
      throw error;
    }
    await syncFolder(folder);
  }

  async get(name: string): Promise<Buffer | undefined> {
    return readFile(join(this.#folder, name)).catch(nothingIfMissing);
  }

  async *list(folder: string, after = ''): AsyncIterable<StoredObject> {
    const place = join(this.#folder, folder);
    const entries = (await readdir(place, { withFileTypes: true }).catch(nothingIfMissing)) ?? [];
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = `${folder}${entry.name}`;
      if (entry.isDirectory()) yield* this.list(`${name}/`, after);
      else if (name > after && !entry.name.endsWith('.tmp')) {
        const found = await stat(join(place, entry.name)).catch(nothingIfMissing);
        if (found) yield { name, sizeBytes: found.size };
      }
    }
  }

  async listFolders(): Promise<string[]> {
    const entries = (await readdir(this.#folder, { withFileTypes: true }).catch(nothingIfMissing)) ?? [];
    return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
  }

  async remove(names: readonly string[]): Promise<void> {
    const folders = new Set(names.map((name) => dirname(join(this.#folder, name))));
    for (const name of names) await rm(join(this.#folder, name), { force: true });
    for (const folder of folders) await this.#removeEmpty(folder);
  }

  async #make(folder: string): Promise<void> {
    if (this.#made.has(folder)) return;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    this.#made.add(folder);
  }

  async #removeEmpty(folder: string): Promise<void> {
    if (folder.length <= this.#folder.length) return;
    const left = (await readdir(folder).catch(nothingIfMissing)) ?? [];
    // A process that was killed leaves what it had not finished.
    if (!left.every((name) => name.endsWith('.tmp'))) return;
    await rm(folder, { recursive: true, force: true });
    this.#made.delete(folder);
    await this.#removeEmpty(dirname(folder));
  }
}

function nothingIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
  throw error;
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
