/** What npx was told to run, where it has this program in its cache and nowhere else. */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readPackage } from './version.ts';

/** The package's name, or the path of a tarball. Nothing where the program is installed in a folder. */
export function npxTarget(program = fileURLToPath(import.meta.url)): string | undefined {
  const [cached] = /^.*[\\/]_npx[\\/][^\\/]+(?=[\\/]node_modules[\\/])/.exec(dirname(program)) ?? [];
  if (cached === undefined) return undefined;
  const { name } = readPackage();
  const installedFrom = dependenciesIn(cached)[name];
  return installedFrom?.startsWith('file:') ? resolve(cached, installedFrom.slice('file:'.length)) : name;
}

function dependenciesIn(folder: string): Readonly<Record<string, string>> {
  try {
    return (JSON.parse(readFileSync(resolve(folder, 'package.json'), 'utf8')) as { dependencies: Record<string, string> }).dependencies;
  } catch {
    return {};
  }
}
