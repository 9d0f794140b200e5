/**
 * `npm run soak`: bad requests without end, and the service killed again and again, on each engine. Nothing may go wrong.
 * `-- --minutes 10`: the most that each part takes on each engine; `--requests`, `--kills`: how many on all engines together;
 * `--seed`: other requests; `--engine sqlite` or `postgres`: one of them; `--only requests` or `kills`: one part.
 * Talks to 127.0.0.1 only, and cleans up after itself.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openPostgresServer } from '../postgres.ts';
import { machineLine } from '../table.ts';
import { type BadRequestReport, inMegabytes, problemsOf, runBadRequests } from './bad-requests.ts';
import { startEmbeddings } from './embeddings.ts';
import { runKills } from './kills.ts';
import { soakService } from './service.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    requests: { type: 'string', default: '1000000' },
    kills: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    connections: { type: 'string', default: '32' },
    engine: { type: 'string' },
    only: { type: 'string' },
  },
});
const engines = ['sqlite', 'postgres'].filter((engine) => values.engine === undefined || values.engine === engine);
const parts = ['requests', 'kills'].filter((part) => values.only === undefined || values.only === part);
if (engines.length === 0 || parts.length === 0) {
  console.error('--engine is sqlite or postgres; --only is requests or kills.');
  process.exit(2);
}
const seed = Number(values.seed);
const deadlineMs = () => performance.now() + Number(values.minutes) * 60_000;
const share = (of: string) => Math.ceil(Number(of) / engines.length);

console.log(machineLine());
await using folders = new AsyncDisposableStack();
const folder = await mkdtemp(join(tmpdir(), 'commonplace-soak-'));
folders.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
await using embeddings = await startEmbeddings();
await using postgres = engines.includes('postgres') ? await openPostgresServer() : undefined;
let problems = 0;
/** What the time did not suffice for, or the machine does not have. */
const notDone: string[] = [];

for (const engine of engines) {
  if (engine === 'postgres' && !postgres) {
    notDone.push('PostgreSQL: there is none with pgvector here');
    continue;
  }
  const environment = async (part: string) => ({
    COMMONPLACE_EMBEDDINGS_URL: embeddings.url,
    ...(engine === 'sqlite' || !postgres
      ? { COMMONPLACE_DATA_DIR: join(folder, part) }
      : { COMMONPLACE_DATABASE_URL: await postgres.newDatabase() }),
  });
  if (parts.includes('requests')) await soakByRequests(engine, await environment('requests'));
  if (parts.includes('kills')) await soakByKills(engine, await environment('kills'));
}
for (const what of notDone) console.log(`Not done: ${what}`);
if (problems > 0) console.log(`\n${problems} problems.`);
else console.log(notDone.length > 0 ? '\nNo problem in what was done; it was less than was asked for.' : '\nAll is well.');
process.exitCode = problems > 0 || notDone.length > 0 ? 1 : 0;

async function soakByRequests(engine: string, environment: Readonly<Record<string, string>>): Promise<void> {
  await using soak = await soakService(environment);
  const { service } = soak;
  const requests = share(values.requests);
  const onProgress = progress(`Bad requests on ${engine}`, requests);
  const report = await runBadRequests({
    service,
    requests,
    seed,
    connections: Number(values.connections),
    deadlineMs: deadlineMs(),
    onProgress,
  });
  for (const line of linesOf(engine, report)) console.log(line);
  if (report.requests < requests) notDone.push(`${requests - report.requests} of ${requests} bad requests on ${engine}`);
  tell(problemsOf(report));
}

async function soakByKills(engine: string, environment: Readonly<Record<string, string>>): Promise<void> {
  const kills = share(values.kills);
  const onKill = progress(`kill -9 on ${engine}`, kills);
  const report = await runKills({
    kills,
    seed,
    environment,
    deadlineMs: deadlineMs(),
    onKill,
  });
  console.log(
    `kill -9 on ${engine}: ${report.kills} times, ${report.acknowledged} items acknowledged, ${report.replays} requests repeated by their key, ${report.deletedKeys} keys deleted, ${report.lost.length} lost`,
  );
  if (report.kills < kills) notDone.push(`${kills - report.kills} of ${kills} kills on ${engine}`);
  tell(report.lost);
}

function tell(found: readonly string[]): void {
  problems += found.length;
  for (const line of found.slice(0, 20)) console.error(`  ${line}`);
}

function linesOf(engine: string, { requests, seconds, statuses, closed, refused, idle, busyBytes }: BadRequestReport): string[] {
  const counts = [...statuses].sort(([one], [other]) => one - other).map(([status, count]) => `${status}: ${count}`);
  const { before, after } = idle;
  return [
    `Bad requests on ${engine}: ${requests} in ${Math.round(seconds)} s, ${Math.round(requests / seconds)} a second, seed ${seed}`,
    `  answers ${counts.join(', ')}; hung up on ${closed}; refused by 503 ${refused}`,
    `  memory under load ${inMegabytes(busyBytes.before)} → ${inMegabytes(busyBytes.after)}, idle ${inMegabytes(before.residentBytes)} → ${inMegabytes(after.residentBytes)}`,
    `  idle sockets ${before.sockets} → ${after.sockets}, files ${before.files} → ${after.files}`,
  ];
}

/** A line every half minute. */
function progress(name: string, total: number): (done: number) => void {
  const startMs = performance.now();
  let toldMs = startMs;
  return (done) => {
    if (performance.now() - toldMs < 30_000) return;
    toldMs = performance.now();
    console.log(`${name}: ${done} of ${total} after ${Math.round((performance.now() - startMs) / 1000)} s`);
  };
}
