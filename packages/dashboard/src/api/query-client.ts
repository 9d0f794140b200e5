/** The cache of what was asked, and what follows from every failure: a sign-in that ended, a service that does not answer. */
import { APIConnectionError, APIConnectionTimeoutError, AuthenticationError, ServiceUnavailableError } from '@commonplace/client';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { connection } from './connection.ts';

/** Told of a sign-in that ended; set by the router, which the cache does not know. */
export const signedOut = { listener: () => {} };

function noteFailure(error: unknown): void {
  if (error instanceof AuthenticationError) signedOut.listener();
  // One slow or refused request says little of the service.
  if (error instanceof APIConnectionTimeoutError || error instanceof ServiceUnavailableError) void connection.doubt();
  else if (error instanceof APIConnectionError) connection.lose();
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noteFailure, onSuccess: () => connection.regain() }),
  mutationCache: new MutationCache({ onError: noteFailure, onSuccess: () => connection.regain() }),
  defaultOptions: {
    // The client tries again itself, and says why it gave up.
    queries: { retry: false, staleTime: 2_000, networkMode: 'always' },
    mutations: { retry: false, networkMode: 'always' },
  },
});

/** What is in sight and failed or is old; the rest is asked for when it is looked at. */
connection.onRegained(() => {
  void queryClient.refetchQueries({ type: 'active', predicate: (query) => query.state.status === 'error' || query.isStale() });
});
