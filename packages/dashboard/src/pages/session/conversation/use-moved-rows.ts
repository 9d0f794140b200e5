import type { Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useLayoutEffect, useRef } from 'react';

/** Sizes are kept by place: a row that stays while its place changes is measured anew. */
export function useMovedRows(
  virtualizer: Virtualizer<HTMLDivElement, Element>,
  scroller: RefObject<HTMLDivElement | null>,
  placeById: ReadonlyMap<string, number>,
): void {
  const before = useRef(placeById);
  useLayoutEffect(() => {
    const moved = [...placeById].some(([id, place]) => (before.current.get(id) ?? place) !== place);
    before.current = placeById;
    if (!moved) return;
    // It would stop watching the row that was at a place before, though that is now at another.
    virtualizer.elementsCache.clear();
    for (const row of scroller.current?.querySelectorAll('[data-index]') ?? []) virtualizer.measureElement(row);
  });
}
