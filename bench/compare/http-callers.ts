/**
 * Callers of a server, in a process of their own. Unlike the generator of the other suites they wait for every answer, also after the time is
 * up: of a server that takes a second for each, much would be under way at the end and not be counted.
 */
import { Agent, request } from 'node:http';
import { repeat } from '../callers.ts';
import { dealOut } from '../dealing.ts';
import type { Load } from '../load.ts';
import type { Measure } from '../measure.ts';

export interface HttpWork extends Omit<Load, 'perSecond'> {
  readonly callers: number;
}

const agent = new Agent({ keepAlive: true });

async function run({ url, headers, requests, seconds, callers }: HttpWork): Promise<Measure> {
  const hands = dealOut(requests, callers);
  const turns = hands.map(() => 0);
  const next = (caller: number) => {
    const hand = hands[caller] as Load['requests'];
    const turn = turns[caller] as number;
    turns[caller] = turn + 1;
    return hand[turn % hand.length] as Load['requests'][number];
  };
  return repeat(seconds, (_, caller) => ask(url, headers, next(caller)), callers);
}

function ask(url: string, headers: Load['headers'], { method, path, body }: Load['requests'][number]): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  const sent = request(`${url}${path}`, { method, agent, headers: { ...headers, ...length } }, (response) => {
    const isOk = response.statusCode !== undefined && response.statusCode < 300;
    response.on('error', reject);
    response.on('end', () => (isOk ? resolve() : reject(new Error(`${method} ${path}: ${response.statusCode}`))));
    response.resume();
  });
  sent.on('error', reject);
  sent.end(body);
  return promise;
}

process.on('message', async (work: HttpWork) => process.send?.(await run(work)));
process.on('disconnect', () => process.exit());
process.send?.('ready');
