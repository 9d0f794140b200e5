import type { Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useEffect } from 'react';
import { showToast } from '../../../design/toast.tsx';
import { useSessionView } from '../session-view.ts';
import { isMessageId } from './message-ids.ts';

/** Waits until a row is there: it is drawn after the scroll. */
const MOST_FRAMES = 60;

/** Goes to a message, wherever it is; gives a function that gives a row the focus. */
export function useJump(virtualizer: Virtualizer<HTMLDivElement, Element>, scroller: RefObject<HTMLDivElement | null>) {
  const { pages, jump } = useSessionView();

  const focusRow = useCallback(
    (index: number, align: 'auto' | 'center' = 'auto') => {
      virtualizer.scrollToIndex(index, { align });
      let frames = 0;
      const focus = () => {
        const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"] article`);
        // Whoever opened the palette meanwhile types there.
        if (document.activeElement?.closest('.palette')) return;
        if (row) row.focus({ preventScroll: true });
        else if (frames++ < MOST_FRAMES) requestAnimationFrame(focus);
      };
      focus();
    },
    [virtualizer, scroller],
  );

  useEffect(() => {
    if (!jump || !pages.isLoaded) return;
    const abort = new AbortController();
    const go = async () => {
      const index = isMessageId(jump.messageId) ? await pages.find(jump.messageId, abort.signal) : -1;
      if (abort.signal.aborted) return;
      if (index < 0) {
        showToast('This session has no such message', { note: 'It was deleted, or it is in another session of the same person.' });
        return;
      }
      // Rows that come in after the scroll would push it away again.
      await pages.load(index);
      if (!abort.signal.aborted) virtualizer.scrollToIndex(index, { align: 'center' });
    };
    go().catch(() => {});
    return () => abort.abort();
  }, [jump, pages, virtualizer]);

  return focusRow;
}
