import { APIConnectionError, APIConnectionTimeoutError, ServiceUnavailableError } from '@commonplace/client';
import { QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { client } from './client.ts';
import { connection } from './connection.ts';
import { queryClient } from './query-client.ts';

vi.mock('./client.ts', () => ({ client: { auth: { status: vi.fn() } } }));
const status = vi.mocked(client.auth.status as () => Promise<unknown>);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  connection.regain();
  queryClient.clear();
  status.mockReset();
  vi.useRealTimers();
});

const fail = (error: Error) =>
  queryClient.fetchQuery({ queryKey: ['fails'], queryFn: () => Promise.reject(error) }).catch((failure: unknown) => failure);

describe.each([
  ['503', new ServiceUnavailableError('Busy', { status: 503 })],
  ['a timeout', new APIConnectionTimeoutError('Nothing within 30 s')],
])('%s of one request', (_, error) => {
  test('is no lost connection while the service answers others', async () => {
    status.mockResolvedValue({});
    await fail(error);
    await vi.runAllTimersAsync();
    expect(status).toHaveBeenCalledOnce();
    expect(connection.isLost()).toBe(false);
  });

  test('is one where the smallest question fails too, until that is answered', async () => {
    status.mockRejectedValueOnce(error).mockResolvedValue({});
    await fail(error);
    await vi.waitFor(() => expect(connection.isLost()).toBe(true));
    await vi.runAllTimersAsync();
    expect(connection.isLost()).toBe(false);
  });
});

test('where nothing can be reached, it is lost at once', async () => {
  status.mockResolvedValue({});
  await fail(new APIConnectionError('Connection refused'));
  expect(connection.isLost()).toBe(true);
});

test('when it is back, only what failed or is old is asked for again', async () => {
  const fresh = vi.fn(async () => 1);
  const failed = vi.fn(async () => 1).mockRejectedValueOnce(new APIConnectionError('Connection refused'));
  const shown = [
    new QueryObserver(queryClient, { queryKey: ['fresh'], queryFn: fresh, staleTime: 60_000 }),
    new QueryObserver(queryClient, { queryKey: ['failed'], queryFn: failed }),
  ].map((observer) => observer.subscribe(() => {}));
  await vi.waitFor(() => expect(connection.isLost()).toBe(true));
  connection.regain();
  await vi.waitFor(() => expect(failed).toHaveBeenCalledTimes(2));
  expect(fresh).toHaveBeenCalledOnce();
  for (const end of shown) end();
});

describe('the network of the browser', () => {
  const network = new EventTarget();
  connection.watch(network);
  const tell = (what: 'offline' | 'online') => network.dispatchEvent(new Event(what));

  test('gone, the connection is lost at once; back, the service is asked at once', async () => {
    status.mockResolvedValue({});
    tell('offline');
    expect(connection.isLost()).toBe(true);
    expect(status).not.toHaveBeenCalled();
    tell('online');
    expect(status).toHaveBeenCalledOnce();
    await vi.waitFor(() => expect(connection.isLost()).toBe(false));
    await vi.runAllTimersAsync();
    expect(status).toHaveBeenCalledOnce();
  });

  test('a service on this very machine is there all the same', async () => {
    status.mockResolvedValue({});
    tell('offline');
    await vi.runAllTimersAsync();
    expect(connection.isLost()).toBe(false);
  });

  test('a question from before that fails late starts no second round', async () => {
    const old = Promise.withResolvers<unknown>();
    status.mockReturnValueOnce(old.promise).mockRejectedValueOnce(new APIConnectionError('Connection refused')).mockResolvedValue({});
    tell('offline');
    await vi.advanceTimersToNextTimerAsync();
    tell('online');
    old.reject(new APIConnectionError('Connection refused'));
    await vi.runAllTimersAsync();
    expect(status).toHaveBeenCalledTimes(3);
    expect(connection.isLost()).toBe(false);
  });

  test('back without having been gone, nothing is asked', () => {
    tell('online');
    expect(status).not.toHaveBeenCalled();
  });
});
