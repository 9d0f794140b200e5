import { useEffect, useState } from 'react';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const dayOnly = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const monthOnly = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const clock = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

/** "12 minutes ago" within a week, else the day. */
export function describeTime(time: string, nowMs: number): string {
  const timeMs = Date.parse(time);
  const away = timeMs - nowMs;
  const distance = Math.abs(away);
  if (distance < MINUTE_MS) return away > 0 ? 'in a moment' : 'just now';
  // What is to come is not nearer than it is: seven days are seven from the first second on.
  const whole = away > 0 ? Math.round : Math.trunc;
  if (distance < HOUR_MS) return relative.format(whole(away / MINUTE_MS), 'minute');
  if (distance < DAY_MS) return relative.format(whole(away / HOUR_MS), 'hour');
  if (distance < 7 * DAY_MS) return relative.format(whole(away / DAY_MS), 'day');
  return dayOnly.format(timeMs);
}

export const formatExact = (time: string): string => exact.format(new Date(time));
export const formatClock = (time: string): string => clock.format(new Date(time));
/** "November 2026", from "2026-11". */
export const formatMonth = (month: string): string => monthOnly.format(new Date(month));
export const formatDay = (time: string): string => dayOnly.format(new Date(time));

/** The time now, anew each minute, so that "just now" does not stay. */
function useNowMs(): number {
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
  return nowMs;
}

/** Relative, with the exact time when pointed at. */
export function Time({ at, className }: { readonly at: string; readonly className?: string }) {
  const nowMs = useNowMs();
  return (
    <time dateTime={at} title={formatExact(at)} {...(className && { className })}>
      {describeTime(at, Math.max(nowMs, Date.now()))}
    </time>
  );
}
