/** The service killed again and again, each time at another write: what it had acknowledged is there when it is back. */
import { newSecret } from '../../packages/server/src/auth/secrets.ts';
import { Processes } from '../processes.ts';
import { startService } from '../service.ts';
import { type Ask, Ledger } from './ledger.ts';
import { randomOf, wholeNumber } from './random.ts';
import { Writer } from './writer.ts';

const WRITERS = 6;
/** A round ends at some number of acknowledged writes up to this one. */
const MOST_WRITES = 120;
/** So often everything is read again, and not only what is new. */
const FULL_CHECK_EVERY = 25;

export interface KillOptions {
  readonly kills: number;
  readonly seed: number;
  /** Where the data are: a folder or a database. */
  readonly environment: Readonly<Record<string, string>>;
  /** When to stop, even before all kills are done. */
  readonly deadlineMs?: number;
  readonly onKill?: (kills: number, acknowledged: number) => void;
}

export interface KillReport {
  readonly kills: number;
  readonly acknowledged: number;
  readonly replays: number;
  readonly deletedKeys: number;
  /** One line for each thing that was acknowledged and is not so; empty when all is well. */
  readonly lost: readonly string[];
}

export async function runKills({
  kills,
  seed,
  environment,
  deadlineMs = Number.POSITIVE_INFINITY,
  onKill,
}: KillOptions): Promise<KillReport> {
  await using processes = new Processes();
  const apiKey = newSecret('apiKey');
  const start = async () => {
    const service = await startService(processes, { COMMONPLACE_RATE_LIMIT: 'off', ...environment, COMMONPLACE_ADMIN_API_KEY: apiKey });
    return { kill: service.kill, ask: askOf(service.url, apiKey) };
  };
  const random = randomOf(seed);
  const ledger = new Ledger();
  const writers = Array.from(
    { length: WRITERS },
    (_, index) => new Writer(ledger, randomOf(seed * WRITERS + index + 1), `writer ${index}`),
  );
  let service = await start();
  for (const writer of writers) await writer.settle(service.ask);
  let done = 0;
  while (done < kills && performance.now() < deadlineMs && ledger.lost.length === 0) {
    const most = wholeNumber(random, 1, MOST_WRITES);
    const enough = Promise.withResolvers<void>();
    let writes = 0;
    const { ask } = service;
    const writing = writers.map((writer) => writer.write(ask, () => ++writes >= most && enough.resolve()));
    // A writer ends before its time only by an answer that it did not expect.
    await Promise.race([enough.promise, Promise.all(writing)]);
    await service.kill();
    await Promise.all(writing);
    done++;
    service = await start();
    if (done % FULL_CHECK_EVERY === 0) await ledger.checkAll(service.ask);
    else await ledger.checkNew(service.ask, new Set(writers.flatMap(({ changed }) => [...changed])));
    onKill?.(done, ledger.entries.length);
  }
  await ledger.checkAll(service.ask);
  for (const { session } of writers) ledger.lost.push(...(await doubledIn(service.ask, session)));
  const { entries, replays, deletedKeys, lost } = ledger;
  return { kills: done, acknowledged: entries.length, replays: replays.length, deletedKeys: deletedKeys.length, lost };
}

/** No two lines of a writer are the same, so a message that is there twice was carried out twice. */
async function doubledIn(ask: Ask, session: string): Promise<string[]> {
  const seen = new Set<unknown>();
  const doubled: string[] = [];
  for (let cursor = ''; ; ) {
    const answer = await ask('GET', `${session}/messages?limit=100${cursor}`);
    if (answer?.status !== 200) return [`${session}/messages: ${answer?.status}`];
    for (const { content } of answer.body.messages as { content: string }[]) {
      if (seen.has(content)) doubled.push(`${session}: “${content}” is there twice`);
      seen.add(content);
    }
    const next = (answer.body._meta as { cursor?: string }).cursor;
    if (next === undefined) return doubled;
    cursor = `&cursor=${encodeURIComponent(next)}`;
  }
}

function askOf(url: string, apiKey: string): Ask {
  return async (method, path, body, headers) => {
    const isForm = body instanceof FormData;
    const credential = headers && 'x-access-key' in headers ? undefined : { 'x-api-key': apiKey };
    try {
      const answer = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: { ...credential, ...(body && !isForm && { 'content-type': 'application/json' }), ...headers },
        ...(body && { body: isForm ? body : JSON.stringify(body) }),
      });
      const text = await answer.text();
      return { status: answer.status, body: text === '' ? {} : JSON.parse(text) };
    } catch {
      return undefined;
    }
  };
}
