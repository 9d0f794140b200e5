import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { client } from '../api/client.ts';
import { sendPendingDeletes } from '../api/undoable.ts';
import { showToast } from '../design/toast.tsx';

/** Ends the sign-in, and forgets what this tab has seen. */
export function useSignOut(): () => Promise<void> {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return async () => {
    sendPendingDeletes();
    try {
      await client.auth.logOut();
      queryClient.clear();
      sessionStorage.clear();
      await navigate({ to: '/sign-in' });
    } catch (error) {
      showToast('You are still signed in', { note: error instanceof Error ? error.message : String(error), danger: true });
    }
  };
}
