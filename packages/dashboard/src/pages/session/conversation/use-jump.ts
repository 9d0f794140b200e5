import { useNavigate } from '@tanstack/react-router';
import type { Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useEffect, useRef } from 'react';
import { showToast } from '../../../design/toast.tsx';
import { paletteHasFocus } from '../../../shell/shortcuts.ts';
import { useSessionView } from '../session-view.ts';
import { findElsewhere } from './find-elsewhere.ts';
import { isMessageId } from './message-ids.ts';

/** Waits until a row is there: it is drawn after the scroll. */
const MOST_FRAMES = 60;

/** Goes to a message, wherever it is; gives a function that gives a row the focus. */
export function useJump(virtualizer: Virtualizer<HTMLDivElement, Element>, scroller: RefObject<HTMLDivElement | null>) {
  const { place, session, pages, jump } = useSessionView();
  const { labels } = session;
  const current = useRef({ place, labels });
  current.current = { place, labels };
  const navigate = useNavigate();

  const focusRow = useCallback(
    (index: number, align: 'auto' | 'center' = 'auto') => {
      virtualizer.scrollToIndex(index, { align });
      let frames = 0;
      const focus = () => {
        const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"] article`);
        if (paletteHasFocus()) return;
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
        const elsewhere = isMessageId(jump.messageId)
          ? await findElsewhere(current.current.place, current.current.labels, jump.messageId)
          : { sessionId: undefined, reason: 'The address names none.' };
        if (abort.signal.aborted) return;
        if (elsewhere.sessionId === undefined) {
          showToast('This message is not there', { note: elsewhere.reason, neutral: true });
          return;
        }
        // In place of this address, which would lead there again: Back leads to what was looked at before.
        await navigate({
          to: '/w/$workspaceId/agents/$agentId/sessions/$sessionId',
          params: { ...current.current.place, sessionId: elsewhere.sessionId },
          search: { message: jump.messageId },
          replace: true,
        });
        return;
      }
      // Rows that come in after the scroll would push it away again.
      await pages.load(index);
      if (!abort.signal.aborted) virtualizer.scrollToIndex(index, { align: 'center' });
    };
    go().catch((error: unknown) => {
      if (abort.signal.aborted) return;
      showToast('The message could not be looked for', { note: error instanceof Error ? error.message : String(error), danger: true });
    });
    return () => abort.abort();
  }, [jump, pages, virtualizer, navigate]);

  return focusRow;
}
