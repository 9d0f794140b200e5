/** The time, as everything in the service asks for it and writes it. It is the database's: see `Database.clock`. */

export interface Clock {
  /** The time of day, for what is stored or shown. It may be set back. */
  nowMs(): number;
  /** Never goes back, and means something within this process only: for how long ago something was. */
  monotonicMs(): number;
}

/** The clock of this machine: for the embedded engine, which has one process. */
export const systemClock: Clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };

/** The form in which every time is stored and sent. */
export function timestamp(ms: number): string {
  if (ms !== latest.ms) latest = { ms, text: new Date(ms).toISOString() };
  return latest.text;
}

/** A request asks for the time of its beginning again and again. */
let latest = { ms: 0, text: new Date(0).toISOString() };
