import { client } from '../api/client.ts';
import { queryClient, signedOut } from '../api/query-client.ts';
import { dropPendingDeletes, sendPendingDeletes } from '../api/undoable.ts';
import { showToast } from '../design/toast.tsx';
import { forgetWorkspace } from './last-workspace.ts';
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
  queryClient.clear();
  beginAnew(to);
}

/** Forgets what this tab keeps for one person, and loads it as if it were new: all that is in memory goes with the page. */
function beginAnew(to: string): void {
  cleanUp();
  sessionStorage.clear();
  // Back may bring this page as it was, memory and all.
  window.addEventListener('pageshow', ({ persisted }) => persisted && window.location.reload());
  window.location.assign(to);
}

/** Somebody else is signed in: here after a sign-in that ended, or in another tab. */
export function changePerson(to: string): void {
  signedOut.listener = () => {};
  dropPendingDeletes();
  forgetWorkspace();
  beginAnew(to);
}

export async function signOut(): Promise<void> {
  try {
    await leave();
  } catch (error) {
    showToast('You are still signed in', { note: error instanceof Error ? error.message : String(error), danger: true });
  }
}
