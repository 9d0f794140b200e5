/** glibc gives each thread an arena of memory of its own, and keeps what was freed in it: with a dozen threads, hundreds of megabytes. */

/** More only pay off where many threads allocate all the time. */
const ARENAS = '2';

/**
 * Arenas are counted when a process starts, so this one starts anew in its own place, with `main` as its program: the same process id and
 * files. Whoever sets MALLOC_ARENA_MAX decides (`npm start` does, and saves the second start); so does a parent that talks to this
 * process, since the channel would be lost. `options` are more of Node's own.
 */
export function limitMallocArenas(main: string, options: readonly string[] = []): void {
  if (process.platform !== 'linux' || process.env.MALLOC_ARENA_MAX !== undefined || process.channel) return;
  const args = [process.execPath, ...process.execArgv, ...options, main, ...process.argv.slice(2)];
  process.execve?.(process.execPath, args, { ...process.env, MALLOC_ARENA_MAX: ARENAS });
}
