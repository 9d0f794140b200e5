/** Nodes replaced one by one: those of the release before and those of today, on one database, under load. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, onTestFinished, test } from 'vitest';
import { Nodes } from '../../../bench/faults/nodes.ts';
import { runFaults } from '../../../bench/faults/run.ts';
import { startEmbeddings } from '../../../bench/soak/embeddings.ts';
import { type PublishedRoute, publishedRoutes } from '../../../bench/soak/openapi.ts';
import { newScene, type Scene } from '../../../bench/soak/scene.ts';
import { temporaryFolder } from '../src/cli/spawn-for-test.ts';
import { paramNamesOf } from '../src/http/route.ts';
import { createTestDatabase } from './database.ts';
import { describeHistory, EARLIER_RELEASE, hasEarlierRelease, unpackEarlierRelease } from './earlier-release.ts';
import { letLeasesRunOut } from './leases.ts';
import { pathOf, titleOf } from './matrix-paths.ts';

const hasRelease = await hasEarlierRelease();
console.log(`Tests: ${await describeHistory()}; the earlier release ${EARLIER_RELEASE.slice(0, 7)} is ${hasRelease ? 'here' : 'not here'}`);
if (!hasRelease)
  console.warn('Tests: the rolling upgrade is left out: its earlier release is taken from the history, which this clone does not have');

/** Everything that can be read of a scene, and what the answer is. */
async function readAll(url: string, routes: readonly PublishedRoute[], { items, credentials }: Scene): Promise<Record<string, number>> {
  const readable = routes.filter(({ method, path }) => method === 'GET' && paramNamesOf(path).every((name) => items[name] !== undefined));
  const statuses: Record<string, number> = {};
  for (const route of readable) {
    const answer = await fetch(`${url}/api/v1${pathOf(route, items)}`, { headers: credentials.owner });
    await answer.arrayBuffer();
    statuses[titleOf(route)] = answer.status;
  }
  return statuses;
}

test('the earlier release is named by its whole commit id, which a shallow clone can fetch', () => {
  expect(EARLIER_RELEASE).toMatch(/^[0-9a-f]{40}$/);
});

if (inject('postgres') && hasRelease)
  test('nodes of the earlier release and of this one work side by side, and lose nothing when the first are stopped', async () => {
    const database = await createTestDatabase();
    onTestFinished(database.drop);
    await using embeddings = await startEmbeddings();
    const earlier = await unpackEarlierRelease(temporaryFolder());
    await using nodes = await Nodes.start(0, {
      COMMONPLACE_DATABASE_URL: database.url,
      COMMONPLACE_EMBEDDINGS_URL: embeddings.url,
      COMMONPLACE_REGISTRATION: 'open',
      COMMONPLACE_TRUSTED_PROXIES: '127.0.0.1',
    });
    const old = [await nodes.add(earlier), await nodes.add(earlier)] as const;
    const routes = await publishedRoutes(old[0].url);
    const before = await newScene(old[0].url, routes);
    const seenBefore = await readAll(old[0].url, routes, before);
    expect(Object.values(seenBefore).filter((status) => status === 200).length).toBeGreaterThan(10);

    const meanwhile = async () => {
      await sleep(1_000);
      // It migrates, and the old ones go on.
      const [first] = await Promise.all([nodes.add(), nodes.add()]);
      expect(await readAll(first.url, routes, before)).toEqual(seenBefore);
      const after = await newScene(first.url, await publishedRoutes(first.url));
      const seenAfter = await readAll(first.url, routes, after);
      expect(await readAll(old[1].url, routes, after)).toEqual(seenAfter);
      await sleep(1_000);
      for (const node of old) {
        await nodes.remove(node);
        await sleep(500);
      }
    };
    const report = await runFaults({ nodes, seed: 20_261_116, pauseMs: 50, meanwhile, beforeJudging: () => letLeasesRunOut(database.url) });
    expect(report.problems).toEqual([]);
    for (const [kind, { answers }] of report.gaps) expect(answers, kind).toBeGreaterThan(0);
  });
