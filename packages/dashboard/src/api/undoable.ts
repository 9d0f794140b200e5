/** Deletes that wait behind Undo: gone from sight at once, sent after ten seconds or when the page is left. */
import { closeToast, showToast } from '../design/toast.tsx';

const UNDO_MS = 10_000;

interface UndoableDelete {
  /** "Memory deleted" */
  readonly text: string;
  /** Takes it out of what is shown. */
  readonly hide: () => void;
  /** Puts it back: undone, or refused. */
  readonly restore: () => void;
  readonly send: () => Promise<unknown>;
}

const pending = new Set<() => void>();

/** Sends what waits: before signing out, and when the page goes away. */
export function sendPendingDeletes(): void {
  for (const send of [...pending]) send();
}

window.addEventListener('pagehide', sendPendingDeletes);

export function deleteWithUndo({ text, hide, restore, send }: UndoableDelete): void {
  let toast = '';
  const settle = () => {
    clearTimeout(timer);
    pending.delete(sendNow);
    closeToast(toast);
  };
  const sendNow = () => {
    settle();
    send().catch((error: unknown) => {
      restore();
      showToast(error instanceof Error ? error.message : String(error), { note: 'It was not deleted.', danger: true });
    });
  };
  const undo = () => {
    settle();
    restore();
  };
  hide();
  pending.add(sendNow);
  const timer = setTimeout(sendNow, UNDO_MS);
  toast = showToast(text, { timeoutMs: UNDO_MS, action: { label: 'Undo', onPress: undo } });
}
