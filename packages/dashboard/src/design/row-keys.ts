import type { RefObject } from 'react';
import { useShortcuts } from '../shell/shortcuts.ts';

/** J and K move between the rows of a table: to the first link or button of each. Enter presses it. */
export function useRowKeys(around: RefObject<HTMLElement | null>): void {
  const move = (step: 1 | -1) => {
    const rows = [...(around.current?.querySelectorAll<HTMLElement>('tbody > tr') ?? [])];
    const stops = rows.map((row) => row.querySelector<HTMLElement>('a, button')).filter((stop) => stop !== null);
    const at = stops.findIndex((stop) => stop.closest('tr')?.contains(document.activeElement));
    stops[at < 0 ? 0 : Math.min(stops.length - 1, Math.max(0, at + step))]?.focus();
  };
  const next = () => move(1);
  const previous = () => move(-1);
  useShortcuts({ J: next, K: previous });
}
