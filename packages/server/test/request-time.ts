/** One request must not hold the main thread: what each takes of its processor time, where that can be told. */

const MOST_MS = 200;
/** What runs for the first time is loaded and compiled first, which is not the doing of a request. */
const WARM_UP_REQUESTS = 5;

let begunCount = 0;
let underWay = 0;

/** Fails where the request took too much. Processor time, since a busy machine makes everything take longer by the clock. */
export async function withinProcessorTime<T>(name: string, send: () => Promise<T>): Promise<T> {
  const place = ++begunCount;
  const isAlone = underWay++ === 0;
  const before = process.threadCpuUsage();
  try {
    const answer = await send();
    // Of several at once nobody knows whose time it was.
    if (!isAlone || begunCount !== place || place <= WARM_UP_REQUESTS) return answer;
    const { user, system } = process.threadCpuUsage(before);
    const tookMs = (user + system) / 1000;
    if (tookMs > MOST_MS) throw new Error(`${name} took ${Math.round(tookMs)} ms of the main thread; ${MOST_MS} are allowed`);
    return answer;
  } finally {
    underWay--;
  }
}
