/** The suite `backup`: what a continuous backup into a folder costs those who write, as a ratio of two services that take turns. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cpuSecondsOf } from './cpu.ts';
import type { Effort } from './http.ts';
import type { Load } from './load.ts';
import { CONNECTIONS, type Measure, median, medianRatio } from './measure.ts';
import { BATCH, many, NO_EMBEDDER, newSession, one } from './messages.ts';
import { type Helper, Processes } from './processes.ts';
import { type Service, startService } from './service.ts';
import { heading, row } from './table.ts';

interface Side {
  readonly service: Service;
  readonly sessions: readonly string[];
  readonly measures: Measure[];
  cpuSeconds: number;
}

export async function runBackup({ rounds, seconds }: Effort): Promise<void> {
  await using processes = new Processes();
  await using folders = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'commonplace-bench-'));
  folders.defer(() => rm(folder, { recursive: true, force: true }));
  const generator = await processes.helper<Load, Measure>('load.ts');
  await using running = new Processes();
  const start = async (name: string, environment: Readonly<Record<string, string>>): Promise<Side> => {
    const service = await startService(running, { COMMONPLACE_DATA_DIR: join(folder, name), ...NO_EMBEDDER, ...environment });
    const sessions: string[] = [];
    while (sessions.length < CONNECTIONS) sessions.push((await newSession(service)).messages);
    return { service, sessions, measures: [], cpuSeconds: 0 };
  };
  heading(`backup: messages by ${CONNECTIONS} connections, median of ${rounds} rounds of ${seconds} s`, [
    '',
    'per second',
    'p50 ms',
    'p99 ms',
    'CPU s',
  ]);
  const url = pathToFileURL(join(folder, 'target')).href;
  const sides = { 'no backup': await start('without', {}), 'continuous backup': await start('with', { COMMONPLACE_BACKUP_URL: url }) };
  for (const [what, body, path] of [['one by one', one, ''] as const, [`in batches of ${BATCH}`, many, '/batch'] as const]) {
    for (const side of Object.values(sides)) await measure(generator, side, path, body, 2);
    for (const side of Object.values(sides)) side.measures.length = side.cpuSeconds = 0;
    for (let round = 0; round < rounds; round++)
      for (const side of Object.values(sides)) await measure(generator, side, path, body, seconds);
    for (const [name, { measures, cpuSeconds }] of Object.entries(sides)) {
      const middle = (of: keyof Measure) => median(measures.map((found) => found[of]));
      const cells = [Math.round(middle('perSecond')).toLocaleString('en'), middle('p50Ms').toFixed(2), middle('p99Ms').toFixed(2)];
      row([`${what}, ${name}`, ...cells, cpuSeconds.toFixed(1)]);
    }
    const ratio = medianRatio(sides['continuous backup'].measures, sides['no backup'].measures);
    row([`${what}, with backup / without (aim 0.90)`, ratio.toFixed(2), '', '', '']);
  }
}

async function measure(generator: Helper<Load, Measure>, side: Side, path: string, body: string, seconds: number): Promise<void> {
  const { service, sessions } = side;
  const headers = { 'x-api-key': service.apiKey, 'content-type': 'application/json' };
  const requests = sessions.map((session) => ({ method: 'POST' as const, path: `${session}${path}`, body }));
  const before = cpuSecondsOf(service.pid) ?? 0;
  side.measures.push(await generator.ask({ url: service.url, headers, requests, seconds }));
  side.cpuSeconds += (cpuSecondsOf(service.pid) ?? 0) - before;
}
