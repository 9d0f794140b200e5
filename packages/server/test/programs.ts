/** Programs of this machine. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where the search path has a program of that name, in its order. */
export function findPrograms(name: string): string[] {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).filter((file) => existsSync(file));
}
