/** Puts a folder that is whole in the place of another, so that nobody finds half of it, whoever does the same at the same time. */
import { renameSync, rmSync } from 'node:fs';

const codeOf = (error: unknown): string | undefined => (error instanceof Error && 'code' in error ? String(error.code) : undefined);

/** Takes what is in the way aside. False where nothing is. */
function moveAway(folder: string, aside: string): boolean {
  try {
    renameSync(folder, aside);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Both are on the same disk. */
export function replaceFolder(folder: string, by: string): void {
  const aside = `${by}-old`;
  for (;;) {
    if (moveAway(folder, aside)) rmSync(aside, { recursive: true, force: true });
    try {
      renameSync(by, folder);
      return;
    } catch (error) {
      // Another was faster; the last one stays.
      if (!['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(codeOf(error) ?? '')) throw error;
    }
  }
}
