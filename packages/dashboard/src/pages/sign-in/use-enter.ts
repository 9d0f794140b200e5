import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { isOwnPath } from '../../search-params.ts';

/** After signing in: forgets what another account has seen, and goes to a path of this app. */
export function useEnter(): (path: string) => Promise<void> {
  const queryClient = useQueryClient();
  const router = useRouter();
  return async (path) => {
    queryClient.clear();
    await router.invalidate();
    await router.navigate({ href: isOwnPath(path) ? path : '/' });
  };
}
