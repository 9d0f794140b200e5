/** Searches of 16 callers at once, every question new, and what they cost: of messages, and of documents that were indexed just before. */

import { repeat } from './callers.ts';
import { untilEmbedded } from './collections.ts';
import { cpuSecondsOf } from './cpu.ts';
import type { Measure } from './measure.ts';
import type { Postgres } from './postgres.ts';
import { Processes } from './processes.ts';
import { reportRates } from './rates.ts';
import { type Case, type Effort, measureCases, measureOnce, type Round } from './rounds.ts';
import { places, sessionOf, upload } from './search-data.ts';
import { call, type Service, startService } from './service.ts';
import { chunkText, newQuestion } from './texts.ts';

const CALLERS = 16;
const MESSAGES = 10_000;
const DOCUMENTS = 1_460;
/** Uploads at a time. */
const UPLOADERS = 8;

export async function searchUnderLoad(folder: string, postgres: Postgres | undefined, effort: Effort): Promise<void> {
  const measured = new Map<string, readonly Round[]>();
  for (const [name, environment] of await places(folder, 'load', postgres)) {
    await using processes = new Processes();
    const service = await startService(processes, environment);
    const workspace = await indexDocuments(service);
    const documents = searchCase(service, '', `${workspace}/documents/search`);
    // Without a search to warm up: the first ones load what was indexed.
    measured.set(`${name}, ${DOCUMENTS} documents right after they were indexed`, [await measureOnce(documents, effort.seconds)]);
    const messages = `${await sessionOf(service, MESSAGES)}/search`;
    const cases = [
      searchCase(service, `${name}, ${MESSAGES} messages of a session`, messages),
      searchCase(service, `${name}, ${DOCUMENTS} documents`, `${workspace}/documents/search`),
    ];
    for (const [one, rounds] of await measureCases(cases, effort)) measured.set(one, rounds);
  }
  reportRates(`search: ${CALLERS} callers at once, every question new (aim: p99 of messages under 60 ms)`, measured);
}

function searchCase(service: Service, name: string, path: string): Case {
  return {
    name,
    cpuSeconds: () => cpuSecondsOf(service.pid),
    run: (seconds): Promise<Measure> => repeat(seconds, () => call(service, 'POST', path, { query: newQuestion() }), CALLERS),
  };
}

/** A workspace with them, once all have their vectors: its path. */
async function indexDocuments(service: Service): Promise<string> {
  const { id } = await call<{ id: string }>(service, 'POST', '/api/v1/workspaces', { name: `${DOCUMENTS} documents` });
  const workspace = `/api/v1/workspaces/${id}`;
  let next = 0;
  const uploadNext = async () => {
    for (let number = next++; number < DOCUMENTS; number = next++)
      await upload(service, workspace, chunkText(number), `document-${number}`);
  };
  await Promise.all(Array.from({ length: UPLOADERS }, uploadNext));
  const isProcessing = async () =>
    (await call<{ _meta: { total: number } }>(service, 'GET', `${workspace}/documents?status=processing&limit=1`))._meta.total > 0;
  while (await isProcessing()) await untilEmbedded(service);
  return workspace;
}
