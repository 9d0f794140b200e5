/** How much disk an installation takes, without the runtime itself. */
import { spawnSync } from 'node:child_process';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { repository } from '../processes.ts';

/** Of all files below; links count as nothing, so that a Python that is linked to is not in it. */
export async function bytesBelow(folder: string, isLeftOut: (name: string) => boolean = () => false): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (isLeftOut(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += await bytesBelow(path, isLeftOut);
    else if (entry.isFile()) bytes += (await lstat(path)).size;
  }
  return bytes;
}

/** The service as it is here: its source, the built dashboard, and what of node_modules it needs to run. */
export async function serviceBytes(): Promise<number> {
  const args = ['ls', '--omit=dev', '--all', '--parseable', '--workspace', 'packages/server'];
  // It ends with a complaint where packages lie about that it does not know, and lists the others all the same.
  const { stdout: listed } = spawnSync('npm', args, { cwd: repository, encoding: 'utf8' });
  const isRoot = (folder: string) => join(folder, '/') === join(repository, '/');
  const folders = new Set(listed.split('\n').filter((folder) => folder !== '' && !isRoot(folder)));
  let bytes = await bytesBelow(join(repository, 'packages/dashboard/dist')).catch(() => 0);
  // Nested packages are listed by themselves.
  for (const folder of folders) bytes += await bytesBelow(folder, (name) => name === 'node_modules');
  return bytes;
}
