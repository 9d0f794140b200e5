import { client } from '../api/client.ts';
import { queryClient, signedOut } from '../api/query-client.ts';
import { sendPendingDeletes } from '../api/undoable.ts';
import { showToast } from '../design/toast.tsx';
import { cleanUp } from './leaving.ts';

interface Leaving {
  /** How the sign-in ends. Where it throws, nothing is lost. */
  readonly end?: () => Promise<unknown>;
  readonly to?: string;
}

/** Ends the sign-in, and forgets all that this tab has seen: the next person gets a page of their own. */
export async function leave({ end = () => client.auth.logOut(), to = '/sign-in' }: Leaving = {}): Promise<void> {
  await sendPendingDeletes();
  const { listener } = signedOut;
  // What polls meanwhile is refused, and would lead back to where this person was.
  signedOut.listener = () => {};
  try {
    await end();
  } catch (error) {
    signedOut.listener = listener;
    throw error;
  }
  cleanUp();
  queryClient.clear();
  sessionStorage.clear();
  // Back may bring this page as it was, memory and all.
  window.addEventListener('pageshow', ({ persisted }) => persisted && window.location.reload());
  window.location.assign(to);
}

export async function signOut(): Promise<void> {
  try {
    await leave();
  } catch (error) {
    showToast('You are still signed in', { note: error instanceof Error ? error.message : String(error), danger: true });
  }
}
