/** Where peers are installed: a folder for each, which git ignores. Nothing of it is a dependency of the project. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../processes.ts';

/** The package versions are exact; what those ask for themselves is as new as the registry has it on the day. */
export interface Environment {
  readonly name: string;
  readonly kind: 'python' | 'npm';
  readonly packages: Readonly<Record<string, string>>;
  /** Of these npm runs the install scripts: they are built or fetched for the machine. */
  readonly allowScripts?: readonly string[];
}

export const environments = {
  chroma: { name: 'chroma', kind: 'python', packages: { chromadb: '1.5.9' } },
  mem0: { name: 'mem0', kind: 'python', packages: { mem0ai: '2.2.1' } },
  hindsight: { name: 'hindsight', kind: 'python', packages: { 'hindsight-api-slim': '1.1.0' } },
  mem0Npm: { name: 'mem0-npm', kind: 'npm', packages: { mem0ai: '3.3.1' }, allowScripts: ['better-sqlite3'] },
  mastra: {
    name: 'mastra',
    kind: 'npm',
    packages: { '@mastra/core': '1.71.0', '@mastra/libsql': '1.23.1', '@mastra/memory': '1.31.0' },
  },
} as const satisfies Record<string, Environment>;

const cache = join(repository, 'node_modules/.cache/commonplace-bench');

export function folderOf({ name }: Environment): string {
  return join(cache, name);
}

/** What is in the folder; written last, so that a half-made one counts as none. */
export function recordOf(environment: Environment): string {
  return join(folderOf(environment), 'installed.json');
}

/** Undefined where it is there as described. */
export function whyNotInstalled(environment: Environment): string | undefined {
  try {
    const installed = readFileSync(recordOf(environment), 'utf8');
    return installed === describe(environment) ? undefined : 'another version is installed; run it with --install';
  } catch {
    return 'not installed; run it with --install';
  }
}

export function describe({ packages }: Environment): string {
  return JSON.stringify(packages);
}

export function pythonOf(environment: Environment): string {
  return join(folderOf(environment), 'bin/python');
}
