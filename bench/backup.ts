/** The suite `backup`: what a continuous backup into a folder costs those who write, as a ratio of two services that take turns. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Load } from './load.ts';
import { CONNECTIONS, type Measure } from './measure.ts';
import { BATCH, many, NO_EMBEDDER, newSessions, one } from './message-work.ts';
import { Processes } from './processes.ts';
import { reportRates, reportRatios } from './rates.ts';
import { type Case, type Effort, loadCase, measureCases } from './rounds.ts';
import { startService } from './service.ts';
import { temporaryFolder } from './temporary-folder.ts';

const sides = ['no backup', 'continuous backup'] as const;
const work: Readonly<Record<string, { path: string; body: string; each?: number }>> = {
  'one by one': { path: '', body: one },
  [`in batches of ${BATCH}, messages`]: { path: '/batch', body: many, each: BATCH },
};

export async function runBackup(effort: Effort): Promise<void> {
  await using processes = new Processes();
  await using folder = await temporaryFolder();
  const generator = await processes.helper<Load, Measure>('load.ts');
  await using running = new Processes();
  const target = { COMMONPLACE_BACKUP_URL: pathToFileURL(join(folder.path, 'target')).href };
  const cases: Case[] = [];
  for (const side of sides) {
    const environment = { COMMONPLACE_DATA_DIR: join(folder.path, side), ...NO_EMBEDDER, ...(side === 'continuous backup' && target) };
    const service = await startService(running, environment);
    const sessions = await newSessions(service, CONNECTIONS);
    for (const [what, { path, body, each }] of Object.entries(work)) {
      const requests = sessions.map((session) => ({ method: 'POST' as const, path: `${session}${path}`, body }));
      cases.push(loadCase(generator, `${what}, ${side}`, service, requests, each));
    }
  }
  // By what is done, so that the two sides of a ratio are neighbours.
  const inTurn = Object.keys(work).flatMap((what) => cases.filter(({ name }) => name.startsWith(what)));
  const rounds = await measureCases(inTurn, effort);
  reportRates(`backup: messages by ${CONNECTIONS} callers at once, median of ${effort.rounds} rounds of ${effort.seconds} s`, rounds);
  const aims = Object.keys(work).map((what) => ({ of: `${what}, continuous backup`, to: `${what}, no backup`, aim: 0.9 }));
  reportRatios(rounds, aims);
}
