/** The time, as everything in the service asks for it and writes it. */

export interface Clock {
  nowMs(): number;
}

export const systemClock: Clock = { nowMs: () => Date.now() };

/** The form in which every time is stored and sent. */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString();
}
