import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { MutationObserver, QueryClient } from '@tanstack/react-query';
import { expect, test, vi } from 'vitest';
import { shownOnce } from './shown-once.ts';

test('a secret leaves the cache with whoever showed it', async () => {
  const queryClient = new QueryClient();
  const observer = new MutationObserver(queryClient, { ...shownOnce, mutationFn: async () => 'cpa_secret' });
  const end = observer.subscribe(() => {});
  await observer.mutate();
  expect(queryClient.getMutationCache().getAll()).toHaveLength(1);
  end();
  await vi.waitFor(() => expect(queryClient.getMutationCache().getAll()).toEqual([]));
});

test('every change that is answered with a secret says so', () => {
  const pages = fileURLToPath(new URL('../pages/', import.meta.url));
  const changes = globSync('**/*.tsx', { cwd: pages })
    .map((file) => ({ file, text: readFileSync(pages + file, 'utf8') }))
    .filter(({ text }) => text.includes('useMutation') && /\b(?:accessKeys|apiKeys|invites)\.create\(/.test(text));
  expect(changes.length).toBeGreaterThan(0);
  expect(changes.filter(({ text }) => !text.includes('...shownOnce')).map(({ file }) => file)).toEqual([]);
});
