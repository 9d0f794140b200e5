/** `import`: what was exported, from a file or from standard input, into a workspace. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { ImportResult } from '@commonplace/client';
import { type Arguments, exitCodes, UsageError } from './command.ts';
import { Progress } from './transfer/progress.ts';
import { openWorkspace } from './transfer/service.ts';
import { summaryOf } from './transfer/summary.ts';

const STANDARD_INPUT = '-';

export async function run(given: Arguments): Promise<number> {
  if (given.values.from !== undefined) return (await import('./importers/run.ts')).run(given);
  if (given.values.agent !== undefined) throw new UsageError('--agent goes with --from');
  const named = given.positionals[0] as string;
  const workspace = openWorkspace(given);
  const progress = new Progress('Importing');
  const lines = named === STANDARD_INPUT ? countBytes(process.stdin, progress, undefined) : await openFile(resolve(named), progress);
  let result: ImportResult;
  try {
    result = await workspace.import(lines, { mode: given.values['new-ids'] === true ? 'new-ids' : 'keep-ids' });
  } finally {
    progress.end();
  }
  const { errors } = result;
  for (const { line, message } of errors) process.stderr.write(`line ${line}: ${message}\n`);
  process.stdout.write(`${summaryOf(result)}\n`);
  return errors.length === 0 ? exitCodes.done : exitCodes.failed;
}

async function openFile(path: string, progress: Progress): Promise<Readable> {
  const { size } = await stat(path).catch(() => {
    throw new Error(`${path} is no file that can be read`);
  });
  const bytes = countBytes(createReadStream(path), progress, size);
  if (!path.endsWith('.gz')) return bytes;
  const unpacked = createGunzip();
  bytes.on('error', (error) => unpacked.destroy(error)).pipe(unpacked);
  return unpacked;
}

function countBytes(source: Readable, progress: Progress, total: number | undefined): Readable {
  let bytes = 0;
  const counted = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      bytes += chunk.length;
      progress.show({ bytes, done: bytes, total, noun: 'bytes' });
      done(null, chunk);
    },
  });
  source.on('error', (error) => counted.destroy(error)).pipe(counted);
  return counted;
}
