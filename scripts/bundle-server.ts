/** Bundles packages/server into a folder app/: plain JavaScript with the packages that it needs, in few files, which load faster than many. */
import { cpSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { build } from 'rolldown';
import { root } from './bundle-dashboard.ts';

export const server = join(root, 'packages/server');
const source = join(server, 'src');

/** What the service reads as files, with its place in app/. */
export const copiedFolders = { migrations: join(source, 'db/migrations') };

/** `app/` finds package.json and bin/ by `import.meta.url` as src/cli/ does. Gives the files that went into it. */
export async function bundleServer(target: string, more: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
  const { output } = await build({
    cwd: root,
    input: { main: join(source, 'main.ts'), ...threadModules(), ...more },
    platform: 'node',
    // For those who install it.
    external: ['pg-native'],
    logLevel: 'warn',
    output: { dir: join(target, 'app'), format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
  });
  for (const [name, folder] of Object.entries(copiedFolders)) cpSync(folder, join(target, 'app', name), { recursive: true });
  return output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
}

/** What is loaded by its file name, and so keeps it: modules of threads. All end up in one folder, where each finds the others beside it. */
function threadModules(): Record<string, string> {
  const found: Record<string, string> = {};
  for (const path of globSync('**/*.ts', { cwd: source, exclude: ['**/*.test.ts'] })) {
    const file = join(source, path);
    const text = readFileSync(file, 'utf8');
    const names = text.matchAll(/(?<!`)moduleBeside\(import\.meta\.url, '([\w-]+)'\)/g);
    const named = [...names].map(([, name]) => join(dirname(file), `${name}.ts`));
    for (const module of /^serveThread</m.test(text) ? [...named, file] : named) {
      const name = basename(module, '.ts');
      if (found[name] !== undefined && found[name] !== module)
        throw new Error(`Two threads are named ${name}: ${found[name]} and ${module}`);
      found[name] = module;
    }
  }
  return found;
}
