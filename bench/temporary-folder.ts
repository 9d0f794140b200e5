/** A folder for the data of a run. It goes with the run, also when that is interrupted. */
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string;
}

const folders = new Set<string>();
process.once('exit', () => {
  for (const path of folders) rmSync(path, { recursive: true, force: true });
});

export async function temporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), 'commonplace-bench-'));
  folders.add(path);
  return {
    path,
    [Symbol.asyncDispose]: async () => {
      await rm(path, { recursive: true, force: true });
      folders.delete(path);
    },
  };
}
