/** The load generator: a process of its own, the same for every server that is measured. */
import autocannon from 'autocannon';
import { dealOut } from './dealing.ts';
import { CONNECTIONS, type Measure, measureOf } from './measure.ts';

export interface Load {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Dealt out to the callers: with as many requests as callers, each repeats its own. */
  readonly requests: readonly { method: 'GET' | 'POST'; path: string; body?: string }[];
  readonly seconds: number;
  /** No more than this. */
  readonly perSecond?: number;
}

async function run({ url, headers, requests, seconds, perSecond }: Load): Promise<Measure> {
  const latenciesMs: number[] = [];
  const hands = dealOut(requests, CONNECTIONS);
  let next = 0;
  const cannon = autocannon({
    url,
    headers,
    // The first of all, as a pattern.
    requests: requests.slice(0, 1),
    connections: CONNECTIONS,
    duration: seconds,
    sampleInt: 100,
    // By itself it would have all callers go through all requests in step.
    setupClient: (client) => client.setRequests((hands[next++ % CONNECTIONS] ?? []).map((request) => ({ ...request, headers }))),
    ...(perSecond && { overallRate: perSecond }),
  });
  // Its own histogram knows whole milliseconds only.
  cannon.on('response', (_client, _status, _sizeBytes, tookMs) => latenciesMs.push(tookMs));
  const { errors, non2xx, duration } = await cannon;
  if (errors + non2xx > 0) throw new Error(`${url}${requests[0]?.path}: ${errors} requests failed and ${non2xx} were refused`);
  return measureOf(latenciesMs, duration);
}

process.on('message', async (load: Load) => process.send?.(await run(load)));
process.on('disconnect', () => process.exit());
process.send?.('ready');
