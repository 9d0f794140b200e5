/** What a process holds: memory, and open files and sockets. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface Footprint {
  readonly residentBytes: number;
  readonly sockets: number;
  readonly files: number;
}

export function footprintOf(pid: number): Footprint {
  const resident = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  let sockets = 0;
  let files = 0;
  for (const name of readdirSync(`/proc/${pid}/fd`)) {
    try {
      if (readlinkSync(`/proc/${pid}/fd/${name}`).startsWith('socket:')) sockets++;
      else files++;
    } catch {
      // Closed meanwhile.
    }
  }
  return { residentBytes: Number(resident) * 1024, sockets, files };
}

/** Looks again and again, until it is stopped. */
export class FootprintLog {
  readonly samples: Footprint[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(pid: number, everyMs: number) {
    this.#timer = setInterval(() => this.samples.push(footprintOf(pid)), everyMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** The middle one of those between two shares of the time, such as 0.2 and 0.4. */
  middle(of: keyof Footprint, from: number, to: number): number {
    const { length } = this.samples;
    const part = this.samples.slice(Math.floor(length * from), Math.max(Math.ceil(length * to), 1)).map((sample) => sample[of]);
    return part.toSorted((one, other) => one - other)[Math.floor(part.length / 2)] ?? Number.NaN;
  }
}
