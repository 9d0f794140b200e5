/** The service killed again and again in the middle of indexing: every document is indexed in the end or has failed with a reason, no chunk twice and none missing. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { DATABASE_FILE } from '../src/db/sqlite/connection.ts';
import { chunksOf } from '../src/documents/chunking.ts';
import { CHUNKS_IN_A_SLICE, EMBEDDED_AT_ONCE } from '../src/documents/indexing.ts';
import { letAnHourPass, startEndpoint, untilReached } from './crashes.ts';
import { type Service, startService } from './service.ts';

const KILLS = 20;
const DOCUMENTS_AT_FIRST = 4;
/** Enough for several slices; what is stored is kept, so that all of them together must outlast the kills. */
const SECTIONS = 4 * CHUNKS_IN_A_SLICE;
/** From one kill to the next at most: some slices of the two documents that are indexed at a time. */
const TEXTS = 6 * CHUNKS_IN_A_SLICE;

/** A word that only this document has, in the last of its sections. */
const wordOf = (index: number) => `zo${'abcdefghijklmnopqrstuvwxyz'[index]}ork`;

function contentOf(index: number): string {
  const sections = Array.from({ length: SECTIONS }, (_, section) => `# Section ${section}\n\nSomething is said about number ${section}.`);
  return `${sections.join('\n\n')} And ${wordOf(index)}.`;
}

function formOf(index: number): FormData {
  const form = new FormData();
  form.append('title', `Document ${index}`);
  form.append('file', new Blob([contentOf(index)]), 'a.md');
  return form;
}

test('documents survive kill -9 in the middle of their indexing', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'commonplace-indexing-crash-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true, maxRetries: 3 }));
  const endpoint = await startEndpoint();
  let workspaceId = '';
  let interrupted = 0;
  const uploaded = new Map<string, number>();
  const upload = async ({ ask }: Service, index: number) => {
    const { id, status } = await ask('POST', `/workspaces/${workspaceId}/documents`, formOf(index));
    expect(status).toBe('processing');
    uploaded.set(id, index);
  };

  const withStatus = ({ ask }: Service, status: string) => ask('GET', `/workspaces/${workspaceId}/documents?status=${status}&limit=100`);
  const waitingIn = async (service: Service) => (await withStatus(service, 'processing'))._meta.total;
  const untilNothingWaits = (service: Service) => expect.poll(() => waitingIn(service), { interval: 200 }).toBe(0);

  for (let kills = 0; kills < KILLS; kills++) {
    // From the first request to the last of a slice, between slices, and while what was made is stored.
    const middle = endpoint.texts(1 + ((kills * 5 * EMBEDDED_AT_ONCE) % TEXTS));
    const service = await startService(dataDir, { COMMONPLACE_EMBEDDINGS_URL: endpoint.url });
    if (kills === 0) {
      workspaceId = (await service.ask('POST', '/workspaces', { name: 'Crashing' })).id;
      for (let index = 0; index < DOCUMENTS_AT_FIRST; index++) await upload(service, index);
    } else await upload(service, DOCUMENTS_AT_FIRST + kills - 1);
    await untilReached(middle, async () => (await waitingIn(service)) === 0);
    await sleep(kills % 4 === 0 ? 0 : Math.random() * 20);
    expect(await service.kill('SIGKILL')).toBeNull();
    endpoint.answerAll();
    interrupted += letAnHourPass(dataDir);
  }

  expect(interrupted).toBeGreaterThanOrEqual(KILLS);

  const service = await startService(dataDir, { COMMONPLACE_EMBEDDINGS_URL: endpoint.url });
  await untilNothingWaits(service);
  // A document is not tried for ever: who was there at six kills is given up, and says so.
  const { documents: failed } = await withStatus(service, 'failed');
  for (const { id, error } of failed) {
    expect(error).toContain('The process that ran the job stopped');
    await service.ask('POST', `/workspaces/${workspaceId}/documents/${id}/reindex`);
  }
  expect(failed.length).toBeLessThan(uploaded.size / 2);
  await untilNothingWaits(service);
  for (const [id, index] of uploaded) {
    const { results } = await service.ask('POST', `/workspaces/${workspaceId}/documents/search`, { query: wordOf(index), limit: 1 });
    expect(results[0], wordOf(index)).toMatchObject({ chunkId: `${id}:${SECTIONS - 1}` });
  }
  expect(await service.kill('SIGTERM')).toBe(0);

  using db = new DatabaseSync(join(dataDir, DATABASE_FILE), { readOnly: true });
  const stored = db.prepare(`
    select d.id, d.status, d.error, d.chunks_total as total, d.chunks_indexed as indexed,
      (select count(*) from chunks c where c.document_id = d.id) as chunks,
      (select count(*) from vectors v where v.scope_id = d.id) as vectors
    from documents d order by d.id`);
  const whole = { status: 'indexed', error: null, total: SECTIONS, indexed: SECTIONS, chunks: SECTIONS, vectors: SECTIONS };
  expect(stored.all()).toEqual([...uploaded.keys()].sort().map((id) => ({ id, ...whole })));
  for (const [id, index] of uploaded) {
    const rows = db.prepare(
      'select position, heading, text, start_offset as startOffset, end_offset as endOffset from chunks where document_id = ? order by position',
    );
    expect(rows.all(id)).toEqual(chunksOf(contentOf(index), 'markdown'));
  }
  expect(db.prepare(`select count(*) as count from jobs where kind = 'index-document' and state <> 'failed'`).get()).toEqual({ count: 0 });
  const strays = `select item_id from vectors v where not exists (
    select 1 from chunks c where c.document_id = v.scope_id and cast(c.position as text) = v.item_id)`;
  expect(db.prepare(strays).all()).toEqual([]);
});
