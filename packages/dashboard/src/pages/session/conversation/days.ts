const DAY_MS = 86_400_000;
const withinYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long' });
const otherYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });
const shortMoment = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });

const dayOf = (time: string | number) => new Date(time).toDateString();

export const isSameDay = (one: string, other: string): boolean => dayOf(one) === dayOf(other);

/** "Today, 15 November", "3 March 2025" */
export function nameDay(time: string, nowMs: number): string {
  const date = new Date(time);
  const day = date.getFullYear() === new Date(nowMs).getFullYear() ? withinYear.format(date) : otherYear.format(date);
  if (dayOf(time) === dayOf(nowMs)) return `Today, ${day}`;
  return dayOf(time) === dayOf(nowMs - DAY_MS) ? `Yesterday, ${day}` : day;
}

/** "15 Nov, 09:16" */
export const nameMoment = (time: string | number): string => shortMoment.format(new Date(time));
