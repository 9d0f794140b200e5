/** Until when something holds, as a model says it. */

const DAY_MS = 86_400_000;
const MOST_YEARS = 100;

/**
 * The midnight (UTC) after a last day such as `2026-03-31`. Nothing where there is no such day, or where it is before that of the
 * message or out of all proportion.
 */
export function endAfter(lastDay: string, saidAt: string): string | undefined {
  const startMs = /^\d{4}-\d\d-\d\d$/.test(lastDay) ? Date.parse(lastDay) : Number.NaN;
  const saidMs = Date.parse(saidAt);
  if (Number.isNaN(startMs) || Number.isNaN(saidMs)) return undefined;
  const end = new Date(startMs + DAY_MS);
  const isOver = end.getTime() <= saidMs;
  const isTooFar = end.getUTCFullYear() - new Date(saidMs).getUTCFullYear() > MOST_YEARS;
  // The 30th of February is read as a day in March.
  const isReal = new Date(startMs).toISOString().startsWith(lastDay);
  return isOver || isTooFar || !isReal ? undefined : end.toISOString();
}
