/** The command line's start: runs what the arguments say, and ends with its exit code. */
import { runCommandLine } from './cli/run.ts';

// Whoever reads the output may stop reading: `commonplace doctor | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  throw error;
});

process.exitCode = await runCommandLine(process.argv.slice(2));
// Nothing that a command left open may keep the process.
process.stdout.write('', () => process.exit());
