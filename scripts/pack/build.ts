/** The published form of the server: plain JavaScript with all that it needs, for a folder without this repository. */
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { build } from 'rolldown';
import { findModelDir } from '../../packages/server/src/search/embedding/model-files.ts';
import { bundleDashboard } from '../bundle-dashboard.ts';
import { noticesOf } from './notices.ts';
import { root, server } from './places.ts';

const source = join(server, 'src');

/** What the service reads as files, with its place in app/. */
const folders = { migrations: join(source, 'db/migrations') };

/** In app/ of the target, from which `import.meta.url` finds package.json and bin/ as it does from src/cli/. */
export async function buildServer(target: string): Promise<void> {
  rmSync(target, { recursive: true, force: true });
  const { output } = await build({
    cwd: root,
    input: { main: join(source, 'main.ts'), ...threadModules() },
    platform: 'node',
    // For those who install it.
    external: ['pg-native'],
    logLevel: 'warn',
    output: { dir: join(target, 'app'), format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
  });
  for (const [name, folder] of Object.entries(folders)) cpSync(folder, join(target, 'app', name), { recursive: true });
  const pages = await bundleDashboard(join(target, 'app/dashboard'));
  for (const file of ['onnx/model_quantized.onnx', 'tokenizer.json']) cpSync(join(findModelDir(), file), join(target, 'model', file));
  const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
  cpSync(join(root, 'LICENSE'), join(target, 'LICENSE'));
  writeFileSync(join(target, 'NOTICES'), noticesOf([...modules, ...pages, join(findModelDir(), 'tokenizer.json')]));
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
