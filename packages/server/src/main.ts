/** The command line's start: runs what the arguments say, and ends with its exit code. */
import { keepCompiledCode } from './cli/compile-cache.ts';
import { limitMallocArenas } from './cli/malloc-arenas.ts';

// Before anything large is loaded, which would be loaded twice.
if (process.argv[2] === 'serve' || process.argv.length === 2) limitMallocArenas(import.meta.filename);
// Of all that it reads nothing is kept: garbage is to go soon, in every thread.
if (process.argv[2] === 'move') limitMallocArenas(import.meta.filename, ['--max-semi-space-size=2', '--heap-growing-percent=30']);
keepCompiledCode();

// Whoever reads the output may stop reading: `commonplace doctor | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  throw error;
});

const { runCommandLine } = await import('./cli/run.ts');
process.exitCode = await runCommandLine(process.argv.slice(2));
// Nothing that a command left open may keep the process.
process.stdout.write('', () => process.exit());
