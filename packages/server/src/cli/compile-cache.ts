/** What Node compiled is kept for the next start: in a folder of this program, where nobody may write who may not change the program itself. */
import { constants, enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Beside app/ once it is built. */
const FOLDER = import.meta.url.endsWith('.ts') ? '../../../../node_modules/.cache/commonplace/' : '../compiled/';

/** Where the folder can't be written, nothing is kept; what is there is used. Whoever sets NODE_COMPILE_CACHE decides. */
export function keepCompiledCode(): void {
  // By paths from the folder, so that it holds for another place and another user.
  const directory = fileURLToPath(new URL(FOLDER, import.meta.url));
  const { status } = enableCompileCache({ directory, portable: true });
  if (status !== constants.compileCacheStatus.ENABLED) return;
  // Threads have caches of their own, and read where they are from the environment.
  process.env.NODE_COMPILE_CACHE = directory;
  process.env.NODE_COMPILE_CACHE_PORTABLE = '1';
}
