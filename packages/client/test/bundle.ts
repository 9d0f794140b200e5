/** The package as a page loads it: one file, minified. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Rolldown } from 'vite';

/** `user` is the folder that it is installed in. */
export async function bundleFor(user: string): Promise<string> {
  const entry = join(user, 'entry.js');
  writeFileSync(entry, `export * from '@commonplace/client';`);
  const output = (await build({
    root: user,
    configFile: false,
    logLevel: 'silent',
    build: { write: false, minify: true, lib: { entry, formats: ['es'], fileName: 'page' } },
  })) as Rolldown.RolldownOutput[];
  const [code, ...others] = output.flatMap(({ output: chunks }) => chunks).map((chunk) => ('code' in chunk ? chunk.code : ''));
  if (code === undefined || others.length > 0) throw new Error('The bundle is more than one file');
  return code;
}
