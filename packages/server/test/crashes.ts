/** For tests that kill the service: a moment to kill it at, and the time that has to pass before it goes on. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { DATABASE_FILE } from '../src/db/sqlite/connection.ts';

/** Answers with vectors, and tells when it was asked for so many. Who has to answer at that moment does not: whoever asked is not done yet. */
export async function startEndpoint() {
  let texts = 0;
  let watch: { at: number; reached: () => void } | undefined;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    const { input } = JSON.parse(body) as { input: string[] };
    texts += input.length;
    // A question of a search is one text, and is answered.
    if (watch && input.length > 1 && texts >= watch.at) {
      watch.reached();
      watch = undefined;
      return;
    }
    await sleep(5);
    const embedding = (text: string) => Array.from({ length: 8 }, (_, index) => 1 + (text.charCodeAt(index % text.length) % 7));
    response.end(JSON.stringify({ data: input.map((text, index) => ({ index, embedding: embedding(text) })) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    /** Resolves at the n-th text from now on. */
    texts: (count: number) => new Promise<void>((reached) => (watch = { at: texts + count, reached })),
    /** From now on, whether that text has come or not. */
    answerAll: () => {
      watch = undefined;
    },
  };
}

/** Waits for the moment, or until it can't come any more. */
export async function untilReached(moment: Promise<void>, isTooLate: () => Promise<boolean>): Promise<void> {
  let reached = false;
  void moment.then(() => (reached = true));
  while (!reached && !(await isTooLate())) await Promise.race([moment, sleep(100)]);
}

/** Leases run out, retries are due, and what nobody came back to is noticed. How many documents were being indexed before. */
export function letAnHourPass(dataDir: string): number {
  using db = new DatabaseSync(join(dataDir, DATABASE_FILE));
  const running = db.prepare(`select count(*) as count from jobs where kind = 'index-document' and state = 'running'`).get();
  const past = new Date(Date.now() - 3_600_000).toISOString();
  db.prepare('update jobs set run_at = min(run_at, ?), lease_until = min(lease_until, ?)').run(past, past);
  db.prepare('update documents set updated_at = min(updated_at, ?)').run(past);
  return running?.count as number;
}
