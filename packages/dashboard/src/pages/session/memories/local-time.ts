/** Times as the field of a browser shows them: of the reader's own clock, without a zone. */

const MINUTE_MS = 60_000;

/** "2026-11-15T09:16:04" */
export function toLocalTime(time: string | number): string {
  const date = new Date(time);
  return new Date(date.getTime() - date.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 19);
}

export function fromLocalTime(local: string): string {
  return new Date(local).toISOString();
}
