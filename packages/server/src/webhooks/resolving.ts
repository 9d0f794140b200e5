/** From the name of a host to its addresses, without holding up the threads that files and passwords need. */
import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { LaneLimiter } from '../lanes/lane-limiter.ts';

export type Resolve = (host: string) => Promise<readonly string[]>;

const TIMEOUT_MS = 4_000;
const TRIES = 2;

/** Asks DNS directly; names that it does not know, those of the machine's own files too, are left to the system, one at a time. */
export function createResolve(): Resolve {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  const system = new LaneLimiter({ inFlightOfLane: 1 });
  return async (host) => {
    if (isIP(host) !== 0) return [host];
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    return system.run('', async () => (await lookup(host, { all: true })).map(({ address }) => address));
  };
}
