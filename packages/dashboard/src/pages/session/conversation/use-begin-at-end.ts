import { type RefObject, useLayoutEffect, useRef } from 'react';
import { useSessionView } from '../session-view.ts';

/** Rows take a few frames to be measured, and on a busy machine the first scroll may come before them. */
const MOST_FRAMES = 120;
const NEAR_PX = 2;

/** A conversation is opened at its newest message, unless its address names another. */
export function useBeginAtEnd(scroller: RefObject<HTMLDivElement | null>, total: number, scrollToEnd: () => void): void {
  const { jump } = useSessionView();
  const begun = useRef(jump !== undefined);
  useLayoutEffect(() => {
    if (begun.current || total === 0) return;
    let frames = 0;
    let frame = 0;
    const go = () => {
      const log = scroller.current;
      if (!log) return;
      const isThere = log.querySelector(`[data-index="${total - 1}"]`) !== null;
      if (isThere && log.scrollHeight - log.clientHeight - log.scrollTop <= NEAR_PX) {
        begun.current = true;
        return;
      }
      scrollToEnd();
      if (frames++ < MOST_FRAMES) frame = requestAnimationFrame(go);
    };
    go();
    return () => cancelAnimationFrame(frame);
  }, [scroller, total, scrollToEnd]);
}
