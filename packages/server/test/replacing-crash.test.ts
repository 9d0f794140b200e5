/** The service killed again and again in the middle of replacements: the old text is found or the new one, whole, and in the end the last. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { DATABASE_FILE } from '../src/db/sqlite/connection.ts';
import { CHUNKS_IN_A_SLICE, EMBEDDED_AT_ONCE } from '../src/documents/indexing.ts';
import { letAnHourPass, startEndpoint, untilReached } from './crashes.ts';
import { type Service, startService } from './service.ts';

const KILLS = 12;
const SECTIONS = 6 * CHUNKS_IN_A_SLICE;

function formOf(version: number): FormData {
  const sections = Array.from({ length: SECTIONS }, (_, section) => `# Section ${section}\n\nThe walrus of version ${version}.`);
  const form = new FormData();
  form.append('externalId', 'walrus');
  form.append('title', `Version ${version}`);
  form.append('file', new Blob([sections.join('\n\n')]), 'walrus.md');
  return form;
}

test('a document survives kill -9 in the middle of its replacement', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'commonplace-replacing-crash-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true, maxRetries: 3 }));
  const endpoint = await startEndpoint();
  const settings = { COMMONPLACE_EMBEDDINGS_URL: endpoint.url };
  let documents = '';
  let version = 0;
  let found = 0;
  let interrupted = 0;

  const upload = ({ ask }: Service) => ask('POST', documents, formOf(++version));
  /** One version, all of it, and never one before that which was found last. */
  const look = async ({ ask }: Service) => {
    const { results } = (await ask('POST', `${documents}/search`, { query: 'walrus', limit: 100 })) as {
      results: { text: string; title: string }[];
    };
    expect(results).toHaveLength(100);
    const [seen, ...others] = new Set(
      results.flatMap(({ text, title }) => [...`${title} ${text}`.matchAll(/version (\d+)/gi)].map(([, number]) => Number(number))),
    );
    expect(others).toEqual([]);
    expect(seen).toBeGreaterThanOrEqual(found);
    expect(seen).toBeLessThanOrEqual(version);
    found = seen as number;
  };
  const isIndexed = async ({ ask }: Service) => (await ask('GET', `${documents}?externalId=walrus`)).documents[0].status === 'indexed';
  const untilIndexed = (service: Service) => expect.poll(() => isIndexed(service), { interval: 100 }).toBe(true);

  const first = await startService(dataDir, settings);
  documents = `/workspaces/${(await first.ask('POST', '/workspaces', { name: 'Crashing' })).id}/documents`;
  await upload(first);
  await untilIndexed(first);
  await first.kill('SIGTERM');

  for (let kills = 0; kills < KILLS; kills++) {
    const service = await startService(dataDir, settings);
    await look(service);
    // Every third is killed with its upload under way: then nobody knows whether it was taken.
    const isTaken = kills % 3 !== 0;
    const middle = isTaken ? endpoint.texts(1 + ((kills * 3 * EMBEDDED_AT_ONCE) % SECTIONS)) : Promise.resolve();
    const uploading = upload(service).catch(() => undefined);
    if (isTaken) {
      await uploading;
      await look(service);
      await untilReached(middle, () => isIndexed(service));
    }
    await sleep(Math.random() * 20);
    expect(await service.kill('SIGKILL')).toBeNull();
    endpoint.answerAll();
    await uploading;
    interrupted += letAnHourPass(dataDir);
  }
  expect(interrupted).toBeGreaterThanOrEqual(KILLS / 2);

  const service = await startService(dataDir, settings);
  await look(service);
  await upload(service);
  await untilIndexed(service);
  await look(service);
  expect(found).toBe(version);
  expect(await service.kill('SIGTERM')).toBe(0);

  using db = new DatabaseSync(join(dataDir, DATABASE_FILE), { readOnly: true });
  const count = (table: string) => db.prepare(`select count(*) as count from ${table}`).get()?.count;
  expect(['documents', 'document_contents', 'chunks', 'vectors', 'former_texts'].map(count)).toEqual([1, 1, SECTIONS, SECTIONS, 0]);
  const waiting = db.prepare(`select count(*) as count from jobs where kind = 'index-document' and state <> 'failed'`).get();
  expect(waiting).toEqual({ count: 0 });
});
