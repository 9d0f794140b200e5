/** Packages that some tests need and that are too large for everybody's `npm install`: fetched once into the cache folder. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cachedFolder, runProgram } from './cached-folder.ts';

/** The folder whose `node_modules` has them. `file` is one of them that tells that all is there. */
export async function cachedPackages(name: string, dependencies: Readonly<Record<string, string>>, file: string): Promise<string> {
  return cachedFolder(
    name,
    (candidate) => existsSync(join(candidate, 'node_modules', file)),
    async (unfinished) => {
      mkdirSync(unfinished, { recursive: true });
      writeFileSync(join(unfinished, 'package.json'), JSON.stringify({ private: true, dependencies }));
      await runProgram('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--no-package-lock'], { cwd: unfinished });
    },
  );
}
