import type { RefObject } from 'react';
import { useShortcuts } from './shortcuts.ts';

/** J and K move through a list: to the next or previous element with `data-stop`. Enter opens what has the focus, as it always does. */
export function useListKeys(around: RefObject<HTMLElement | null>): void {
  const move = (step: 1 | -1) => {
    const stops = [...(around.current?.querySelectorAll<HTMLElement>('[data-stop]') ?? [])];
    const at = stops.findIndex((one) => one === document.activeElement || one.closest('tr, li')?.contains(document.activeElement));
    const stop = stops[at < 0 ? 0 : Math.min(stops.length - 1, Math.max(0, at + step))];
    stop?.focus();
    stop?.scrollIntoView({ block: 'nearest' });
  };
  const next = () => move(1);
  const previous = () => move(-1);
  useShortcuts({ J: next, K: previous });
}
