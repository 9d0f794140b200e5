/** One request must not hold the main thread: what each takes of its processor time, where that can be told. */

const MOST_MS = 200;
/**
 * One measurement may be disturbed: where a machine shares its processors with others, what it is kept from counts as work of the one
 * who was kept. So a route fails when it takes too long a second time, and at once only above this.
 */
const MOST_DISTURBED_MS = 1_000;
/** What runs for the first time is loaded and compiled first, which is not the doing of a request. */
const WARM_UP_REQUESTS = 5;

let begunCount = 0;
let underWay = 0;
const slowRoutes = new Set<string>();

/** Fails where the request took too much. Processor time, since a busy machine makes everything take longer by the clock. */
export async function withinProcessorTime<T>(request: string, send: () => Promise<T>): Promise<T> {
  const place = ++begunCount;
  const isAlone = underWay++ === 0;
  const before = process.threadCpuUsage();
  try {
    const answer = await send();
    // Of several at once nobody knows whose time it was.
    if (!isAlone || begunCount !== place || place <= WARM_UP_REQUESTS) return answer;
    const { user, system } = process.threadCpuUsage(before);
    checkTime(request, (user + system) / 1000);
    return answer;
  } finally {
    underWay--;
  }
}

function checkTime(request: string, tookMs: number): void {
  if (tookMs <= MOST_MS) return;
  const route = routeOf(request);
  if (slowRoutes.has(route) || tookMs > MOST_DISTURBED_MS)
    throw new Error(`${request} took ${Math.round(tookMs)} ms of the main thread; ${MOST_MS} are allowed`);
  slowRoutes.add(route);
}

/** Without the query, and the same whatever item it names. */
function routeOf(request: string): string {
  return request.replace(/\?.*$/s, '').replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, ':id');
}
