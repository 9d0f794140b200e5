/** The service answers with the app where the app has a page, and nowhere else. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PAGE_PATHS } from '../src/http/dashboard.ts';

const router = new URL('../../dashboard/src/router.tsx', import.meta.url);

test('the paths of the service and of the router agree', () => {
  const declared = readFileSync(router, 'utf8').matchAll(
    /const (?<name>\w+) = createRoute\(\{\s+getParentRoute: \(\) => (?<parent>\w+),\s+path: '(?<path>[^']+)'/g,
  );
  const routes = [...declared].map(({ groups }) => groups as { name: string; parent: string; path: string });
  const top = routes.filter(({ parent }) => ['root', 'signedIn'].includes(parent));
  const parents = new Set(routes.map(({ parent }) => parent));
  const paths = top.flatMap(({ name, path }) => {
    const ours = path.replace(/\$(\w+)/g, ':$1');
    return parents.has(name) ? [ours, `${ours}/*`] : [ours];
  });
  // With the slash it was linked to before; the router takes it away.
  expect([...paths, '/docs/'].sort()).toEqual([...PAGE_PATHS].sort());
});
