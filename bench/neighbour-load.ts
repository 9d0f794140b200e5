/** The greedy tenant of the suite `neighbours`: a process of its own that sends the largest which a route takes, over and over. */
import { FILLS, type LargestRequest, largestRequestTo } from '../packages/server/test/largest-requests.ts';
import { titleOf } from '../packages/server/test/matrix-paths.ts';
import { declaredRoutes } from './declared-routes.ts';

const AT_ONCE = 8;
/** Made before the first is sent, and sent in turn. */
const OF_EACH_FILL = 2;

export interface GreedyLoad {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly items: Readonly<Record<string, string>>;
  readonly route: string;
  readonly seconds: number;
}

/** How often each status came. */
export type Statuses = Readonly<Record<string, number>>;

const routes = new Map((await declaredRoutes()).map((route) => [titleOf(route), route]));

async function run({ url, headers, items, route: title, seconds }: GreedyLoad): Promise<Statuses> {
  const route = routes.get(title);
  if (!route) throw new Error(`No route is called ${title}`);
  const ask = async (method: string, path: string, body?: object) => {
    const type = { 'content-type': 'application/json' };
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { ...headers, ...(body && type) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: await answer.json() };
  };
  const requests: LargestRequest[] = [];
  for (const fill of FILLS)
    for (let times = 0; times < OF_EACH_FILL; times++) requests.push(await largestRequestTo(route, items, fill, ask));
  const statuses: Record<string, number> = {};
  const untilMs = performance.now() + seconds * 1000;
  let turn = 0;
  const send = async () => {
    while (performance.now() < untilMs) {
      const { method, path, type, body } = requests[turn++ % requests.length] as LargestRequest;
      const answer = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: { ...headers, ...(type && { 'content-type': type }) },
        ...(body && { body }),
      });
      await answer.arrayBuffer();
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, send));
  return statuses;
}

process.on('message', async (load: GreedyLoad) => {
  process.send?.(await run(load).catch((error: unknown) => ({ [`failed: ${error instanceof Error ? error.message : error}`]: 1 })));
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
