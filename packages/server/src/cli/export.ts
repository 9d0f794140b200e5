/** `export`: all that is in a workspace, into a file or to standard output. */
import { createHash } from 'node:crypto';
import { createWriteStream, existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Arguments, exitCodes } from './command.ts';
import { Progress } from './transfer/progress.ts';
import { openWorkspace } from './transfer/service.ts';

const STANDARD_OUTPUT = '-';

export async function run(given: Arguments): Promise<number> {
  const named = given.positionals[0] as string;
  const target = named === STANDARD_OUTPUT ? undefined : resolve(named);
  if (target !== undefined && existsSync(target)) throw new Error(`${target} is there already; an existing file is never overwritten`);
  const lines = await openWorkspace(given).export({ vectors: given.values.vectors === true });
  const watched = new WatchedLines();
  if (target === undefined) await pipeline(lines, watched.stream, process.stdout, { end: false });
  else await writeFile(lines, watched, target);
  watched.requireWhole();
  process.stderr.write(`Exported ${watched.summary()}\n`);
  return exitCodes.done;
}

/** It gets its name when it is whole. */
async function writeFile(lines: ReadableStream<Uint8Array>, watched: WatchedLines, target: string): Promise<void> {
  const partial = `${target}.partial`;
  try {
    const file: Writable = createWriteStream(partial, { mode: 0o600 });
    await (target.endsWith('.gz') ? pipeline(lines, watched.stream, createGzip(), file) : pipeline(lines, watched.stream, file));
    watched.requireWhole();
    await rename(partial, target);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  } finally {
    watched.progress.end();
  }
}

/** Counts lines on their way, and holds the footer against them. */
class WatchedLines {
  readonly progress = new Progress('Exporting');
  readonly stream: Transform;
  readonly #digest = createHash('sha256');
  /** The line that has not ended yet; of a long one, what is not the last line anyway, its beginning alone. */
  #tail: Buffer[] = [];
  #bytes = 0;
  #items = 0;
  #total: number | undefined;
  #isFirst = true;
  #last: string | undefined;

  constructor() {
    this.stream = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        this.#watch(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
        done(null, chunk);
      },
    });
  }

  /** Throws unless the last line is a footer that fits. */
  requireWhole(): void {
    const { type, checksum } = this.#footer();
    if (type !== 'footer') throw new Error('the export broke off: it has no footer');
    if (checksum !== `sha256:${this.#digest.copy().digest('hex')}`) throw new Error('the export is damaged: its checksum does not fit');
  }

  summary(): string {
    const counted = Object.entries(this.#footer().counts ?? {}).filter(([, count]) => count > 0);
    const texts = counted.map(([kind, count]) => `${count} ${kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`);
    return `${texts.join(', ') || 'an empty workspace'} (${(this.#bytes / 1e6).toFixed(1)} MB).`;
  }

  #footer(): { type?: string; checksum?: string; counts?: Record<string, number> } {
    return this.#last === undefined ? {} : JSON.parse(this.#last);
  }

  #watch(chunk: Buffer): void {
    this.#bytes += chunk.length;
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      this.#tail.push(chunk.subarray(start, end + 1));
      this.#endLine(Buffer.concat(this.#tail));
      this.#tail = [];
      start = end + 1;
    }
    this.#tail.push(chunk.subarray(start));
    this.progress.show({ bytes: this.#bytes, done: this.#items, total: this.#total, noun: 'items' });
  }

  #endLine(line: Buffer): void {
    if (this.#isFirst) {
      const { counts } = JSON.parse(line.toString()) as { counts?: Record<string, number> };
      this.#total = counts && Object.values(counts).reduce((sum, count) => sum + count, 0);
      this.#isFirst = false;
    } else if (COUNTED.test(line.toString('latin1', 0, 32))) this.#items++;
    if (line.subarray(0, FOOTER.length).equals(FOOTER)) this.#last = line.toString();
    else this.#digest.update(line);
  }
}

const FOOTER = Buffer.from('{"type":"footer"');
const COUNTED = /^\{"type":"(prompt|promptVersion|document|agent|session|message|memory)"/;
