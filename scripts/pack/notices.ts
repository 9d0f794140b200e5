/** Whose work is in the published package, and under which terms. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The licences of the packages that these files are of, one after the other. */
export function noticesOf(files: readonly string[]): string {
  const folders = new Set(files.map(packageOf).filter((folder) => folder !== undefined));
  return [...folders].sort().map(noticeOf).join('\n');
}

/** The folder of the installed package that a file belongs to. */
function packageOf(file: string): string | undefined {
  if (!file.includes('/node_modules/') || file.includes('\0')) return undefined;
  for (let folder = dirname(file); !folder.endsWith('node_modules'); folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    // Some packages have manifests without a name in folders of their own.
    if (existsSync(manifest) && readManifest(folder).name) return folder;
  }
  return undefined;
}

function noticeOf(folder: string): string {
  const { name, version, license } = readManifest(folder);
  const texts = globSync(['LICEN[CS]E*', 'licen[cs]e*', 'NOTICE*'], { cwd: folder }).map((file) =>
    readFileSync(join(folder, file), 'utf8').trim(),
  );
  return [`${'='.repeat(80)}\n${name} ${version} (${license ?? 'see below'})\n`, ...texts].join('\n').concat('\n');
}

function readManifest(folder: string): { name?: string; version?: string; license?: string } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name?: string; version?: string; license?: string };
}
