/** Builds packages/dashboard, for the service to serve. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
const dashboard = join(root, 'packages/dashboard');

/** Gives the files that went into it. */
export async function bundleDashboard(outDir = join(dashboard, 'dist')): Promise<readonly string[]> {
  // Tests build too, and set it otherwise; React would then be the one for development.
  process.env.NODE_ENV = 'production';
  const { build } = await import('vite');
  const built = await build({
    root: dashboard,
    configFile: join(dashboard, 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir, emptyOutDir: true },
  });
  if (!('output' in built)) throw new Error('Vite watches or has built more than one dashboard');
  return built.output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
}
