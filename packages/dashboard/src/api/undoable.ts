/** Deletes that wait behind Undo: gone from sight at once, sent after ten seconds or when the page is left. */
import type { Commonplace } from '@commonplace/client';
import { closeToast, showToast } from '../design/toast.tsx';
import { lastingClient } from './client.ts';
import { isStatus } from './refusals.ts';

const UNDO_MS = 10_000;

interface UndoableDelete {
  /** "Memory deleted" */
  readonly text: string;
  /** Takes it out of what is shown. */
  readonly hide: () => void;
  /** Puts it back: undone, or refused. */
  readonly restore: () => void;
  /** By the client that it is given, which outlives the page. */
  readonly send: (client: Commonplace) => Promise<unknown>;
}

interface PendingDelete {
  readonly send: () => Promise<void>;
  readonly drop: () => void;
}

const pending = new Set<PendingDelete>();

/** Sends what waits, and is done when all is answered: before signing out, and when the page goes away. */
export async function sendPendingDeletes(): Promise<void> {
  await Promise.all([...pending].map(({ send }) => send()));
}

/** Whoever signs in next must not delete what somebody else chose. */
export function dropPendingDeletes(): void {
  for (const { drop } of [...pending]) drop();
}

window.addEventListener('pagehide', () => void sendPendingDeletes());

export function deleteWithUndo({ text, hide, restore, send }: UndoableDelete): void {
  let toast = '';
  const settle = () => {
    clearTimeout(timer);
    pending.delete(waiting);
    closeToast(toast);
  };
  const sendNow = async () => {
    settle();
    try {
      await send(lastingClient);
    } catch (error) {
      // Somebody else was faster.
      if (isStatus(error, 404)) return;
      restore();
      showToast(error instanceof Error ? error.message : String(error), { note: 'It was not deleted.', danger: true });
    }
  };
  const undo = () => {
    settle();
    restore();
  };
  hide();
  const waiting = { send: sendNow, drop: settle };
  pending.add(waiting);
  const timer = setTimeout(() => void sendNow(), UNDO_MS);
  toast = showToast(text, { timeoutMs: UNDO_MS, action: { label: 'Undo', onPress: undo } });
}
