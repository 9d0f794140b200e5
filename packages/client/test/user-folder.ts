/** A folder as a user of the packages has it: their program, and what it imports. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { buildPackage } from '../../../scripts/build-packages.ts';
import type { TestService } from './service.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const run = promisify(execFile);

export interface UserFolder {
  readonly path: string;
  write(file: string, text: string): void;
  /** What it printed. */
  run(file: string, env?: Record<string, string>): Promise<string>;
  /** What the compiler complains of. */
  compile(file: string): Promise<string>;
}

/** `packages` are those of this repository, as they are or `built` as they are published; `modules` are of others. */
export function makeUserFolder(packages: readonly string[], modules: readonly string[], built = false): UserFolder {
  const path = mkdtempSync(join(tmpdir(), 'commonplace-user-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  const write = (file: string, text: string) => writeFileSync(join(path, file), text);
  for (const name of packages) {
    const target = join(path, 'node_modules/@commonplace', name);
    mkdirSync(dirname(target), { recursive: true });
    if (built) buildPackage(name, target);
    else symlinkSync(join(root, 'packages', name), target);
  }
  for (const name of modules) {
    const target = join(path, 'node_modules', name);
    mkdirSync(dirname(target), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), target);
  }
  write('package.json', '{"type":"module"}');
  return {
    path,
    write,
    run: async (file, env = {}) => {
      const { stdout } = await run(process.execPath, [file], { cwd: path, env: { PATH: process.env.PATH, HOME: path, ...env } });
      return stdout;
    },
    compile: async (file) => {
      const options = ['--noEmit', '--strict', '--target', 'es2023', '--lib', 'es2023,dom', '--module', 'nodenext', '--skipLibCheck'];
      const args = [...options, '--types', '', file];
      const { stdout } = await run(join(root, 'node_modules/.bin/tsc'), args, { cwd: path }).catch((error: { stdout: string }) => error);
      return stdout;
    },
  };
}

/** The snippets of a page, in its order, as one program. */
export function programOf(page: URL): { program: string; snippets: number } {
  const found = [...readFileSync(page, 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code as string);
  return { program: found.join('\n'), snippets: found.length };
}

/** What the client reads from the environment. */
export function clientEnv({ url, accessKey, workspaceId }: TestService): Record<string, string> {
  return { COMMONPLACE_URL: url, COMMONPLACE_ACCESS_KEY: accessKey, COMMONPLACE_WORKSPACE_ID: workspaceId };
}
