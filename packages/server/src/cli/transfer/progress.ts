/** How far it is, on one line of the terminal that is written over and over; nothing where no person looks. */
import type { WriteStream } from 'node:tty';

const SHOWN_EVERY_MS = 100;
const BAR = 24;

export interface Reached {
  readonly bytes: number;
  readonly done: number;
  /** Undefined where nobody knows. */
  readonly total: number | undefined;
  /** What is counted: `lines`, `bytes`. */
  readonly noun: 'items' | 'bytes';
}

export class Progress {
  readonly #terminal: Pick<WriteStream, 'isTTY' | 'write'>;
  readonly #verb: string;
  #shownAtMs = Number.NEGATIVE_INFINITY;

  constructor(verb: string, terminal: Pick<WriteStream, 'isTTY' | 'write'> = process.stderr) {
    this.#verb = verb;
    this.#terminal = terminal;
  }

  show(reached: Reached): void {
    if (!this.#terminal.isTTY || performance.now() - this.#shownAtMs < SHOWN_EVERY_MS) return;
    this.#shownAtMs = performance.now();
    this.#terminal.write(`\r\x1b[2K${progressText(this.#verb, reached)}`);
  }

  end(): void {
    if (this.#terminal.isTTY) this.#terminal.write('\r\x1b[2K');
  }
}

export function progressText(verb: string, { bytes, done, total, noun }: Reached): string {
  const size = `${(bytes / 1e6).toFixed(1)} MB`;
  if (!total) return `${verb}: ${size}`;
  const part = Math.min(1, done / total);
  const filled = Math.round(part * BAR);
  const counted = noun === 'bytes' ? '' : `  ${done.toLocaleString('en-US')} of ${total.toLocaleString('en-US')}`;
  return `${verb} [${'#'.repeat(filled)}${' '.repeat(BAR - filled)}] ${Math.floor(part * 100)} %${counted}  ${size}`;
}
