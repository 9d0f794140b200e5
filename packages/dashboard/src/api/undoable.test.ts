import { NotFoundError, ServiceUnavailableError } from '@commonplace/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

vi.mock('../design/toast.tsx', () => ({ showToast: vi.fn(() => 'toast'), closeToast: vi.fn() }));
const listeners = new Map<string, () => void>();
const window = {
  location: { origin: 'http://127.0.0.1:1' },
  addEventListener: (name: string, listener: () => void) => listeners.set(name, listener),
};
vi.stubGlobal('window', window);
const { deleteWithUndo, dropPendingDeletes, sendPendingDeletes } = await import('./undoable.ts');

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const restore = vi.fn();
afterEach(() => restore.mockClear());

const begin = (send: Parameters<typeof deleteWithUndo>[0]['send']) => deleteWithUndo({ text: 'Gone', hide: () => {}, restore, send });

test('what somebody else deleted already is deleted; what is refused comes back', async () => {
  begin(() => Promise.reject(new NotFoundError('There is no such memory', { status: 404 })));
  await vi.runAllTimersAsync();
  expect(restore).not.toHaveBeenCalled();
  begin(() => Promise.reject(new ServiceUnavailableError('Busy', { status: 503 })));
  await vi.runAllTimersAsync();
  expect(restore).toHaveBeenCalledOnce();
});

test('whoever sends what waits can wait until it is answered', async () => {
  const order: string[] = [];
  const answer = Promise.withResolvers<void>();
  begin(async () => {
    await answer.promise;
    order.push('answered');
  });
  const sent = sendPendingDeletes().then(() => order.push('done'));
  answer.resolve();
  await sent;
  expect(order).toEqual(['answered', 'done']);
});

test('a page that goes away sends what waits, in a way that outlives it', async () => {
  const fetch = vi.fn(async (_url: unknown, _init?: RequestInit) => new Response(null, { status: 204 }));
  vi.stubGlobal('fetch', fetch);
  begin((client) => client.workspace('w').agents.delete('a'));
  listeners.get('pagehide')?.();
  await vi.waitFor(() => expect(fetch).toHaveBeenCalledOnce());
  expect(fetch.mock.calls[0]?.[1]).toMatchObject({ method: 'DELETE', keepalive: true });
});

test('what one person deleted is not sent for the next one', async () => {
  const send = vi.fn(async () => {});
  begin(send);
  dropPendingDeletes();
  listeners.get('pagehide')?.();
  await vi.runAllTimersAsync();
  expect(send).not.toHaveBeenCalled();
});
