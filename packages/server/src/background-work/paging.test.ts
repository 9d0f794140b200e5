/** The list of jobs, page by page: its order, its cursors, and how much of it is counted. */
import { expect } from 'vitest';
import { refusal, type TestApi, test, walk } from '../../test/api.ts';
import { jobsOf } from '../../test/background-work.ts';
import { newId } from '../db/ids.ts';
import { rows, sql } from '../db/sql.ts';

const ROWS_AT_ONCE = 1_000;

/** Work of every kind on as many sessions, and documents, without anybody to do it. */
async function newBacklog(api: TestApi, count: number) {
  const agent = await api.newAgent();
  const { workspaceId, ...jobs } = jobsOf(api, agent);
  const now = new Date(api.clock.nowMs()).toISOString();
  const sessionIds: string[] = [];
  for (let index = 0; index < count; index++) sessionIds.push((await api.newSession(agent, `id=s${index}`)).id);
  const { model } = api.app.context.searcher.embedder;
  const [third, twoThirds] = [sessionIds.slice(0, count / 3), sessionIds.slice(0, (count * 2) / 3)];
  await api.db.batch([
    sql`insert into embedding_queue (workspace_id, kind, scope_id, item_id, created_at)
        values ${rows(sessionIds.flatMap((id) => ['message', 'memory'].map((kind) => [workspaceId, kind, id, newId(), now])))}`,
    sql`insert into refused_texts (workspace_id, kind, scope_id, item_id, model, reason, created_at)
        values ${rows(third.map((id) => [workspaceId, 'message', id, newId(), model, 'Refused', now]))}`,
    sql`insert into extraction_queue (workspace_id, session_id, message_id, created_at)
        values ${rows(sessionIds.map((id) => [workspaceId, id, newId(), now]))}`,
    sql`insert into extraction_queue (workspace_id, session_id, message_id, created_at, failed_at, error)
        values ${rows(twoThirds.map((id) => [workspaceId, id, newId(), now, now, 'Given up']))}`,
    sql`insert into extraction_states (workspace_id, session_id, done, summarized, attempts, regenerate_error, updated_at)
        values ${rows(third.map((id) => [workspaceId, id, 0, 0, 0, 'Given up', now]))}`,
  ]);
  return { ...jobs, agent, workspaceId, sessionIds };
}

const keyOf = ({ status, subject, kind }: { status: string; subject: { id: string }; kind: string }) =>
  [status, subject.id, kind].join(' ');

test('all of it comes once and in one order, whatever the size of the pages and whoever writes meanwhile', async ({ api }) => {
  const { url, agent, list, page, sessionIds } = await newBacklog(api, 12);
  const { owner } = agent.workspace;
  const all = await list('limit=100');
  const order = all.map(keyOf);
  // Failed: 4 refused, 8 given up, 4 not regenerated. Waiting: the other 8 and 4.
  expect((await page()).counts).toEqual({ waiting: 12, running: 0, failed: 16, capped: false });
  expect(order).toHaveLength(28);
  const failedFirst = all.map(({ status }) => status);
  expect(failedFirst).toEqual([...Array(16).fill('failed'), ...Array(12).fill('waiting')]);
  expect(all[0].subject.id).toBe(sessionIds[7]);
  expect(all[16].subject.id).toBe(sessionIds[4]);
  for (const limit of [1, 5, 27, 28]) {
    const { rows: walked } = await walk(owner, url, 'jobs', limit);
    expect(walked.map(keyOf)).toEqual(order);
  }
  for (const offset of [0, 3, 16, 27, 28, 40]) {
    const { jobs, _meta } = await page(`limit=2&offset=${offset}`);
    expect(jobs.map(keyOf)).toEqual(order.slice(offset, offset + 2));
    expect(_meta).toMatchObject({ total: 28, offset });
  }
  for (const status of ['failed', 'waiting']) {
    const expected = order.filter((key) => key.startsWith(status));
    expect((await list(`status=${status}&limit=100`)).map(keyOf)).toEqual(expected);
    expect((await page(`status=${status}`))._meta.total).toBe(expected.length);
  }
  const ofKind = await page('kind=embed-texts');
  expect(ofKind.counts).toEqual({ waiting: 8, running: 0, failed: 4, capped: false });
  expect(ofKind.jobs.map(keyOf)).toEqual(order.filter((key) => key.endsWith('embed-texts')));
  const { rows: meanwhile } = await walk(owner, url, 'jobs', 5, async (pageNumber) => {
    const { id } = await api.newSession(agent, `id=later-${pageNumber}`);
    await api.db.run(sql`
      insert into extraction_queue (workspace_id, session_id, message_id, created_at, failed_at, error)
      values (${agent.workspace.id}, ${id}, ${newId()}, ${new Date().toISOString()}, ${new Date().toISOString()}, 'Later')`);
  });
  expect(meanwhile.map(keyOf)).toEqual(order);
});

test('a cursor that no page gave is refused, and so is an offset beyond what is counted', async ({ api }) => {
  const { workspace } = await api.newAgent();
  const get = (query: string) => workspace.owner.get(`${workspace.url}/jobs?${query}`);
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const wrong = [null, 7, {}, [], ['failed'], ['failed', newId()], ['done', newId().replace(/-7/, '-8')], ['failed', "' or 1=1 --"]];
  for (const cursor of ['x', '%00', ...wrong.map(encoded)])
    expect(await get(`cursor=${cursor}`)).toEqual(refusal(400, 'Cursor must be one that a page of this list gave', 'cursor'));
  expect((await get('offset=10000')).status).toBe(200);
  expect(await get('offset=10001')).toEqual(refusal(400, 'Offset must not exceed 10000; a cursor goes further', 'offset'));
  expect((await get('status=done')).status).toBe(400);
  expect((await get('kind=purge-session')).status).toBe(400);
});

test('counting ends at a thousand sessions of a kind, and the messages of one are not counted at all', async ({ api }) => {
  const { workspace } = await api.newAgent();
  const now = new Date(api.clock.nowMs()).toISOString();
  const queue = async (count: number, sessionOf: () => string) => {
    for (let start = 0; start < count; start += ROWS_AT_ONCE) {
      const some = Array.from({ length: Math.min(ROWS_AT_ONCE, count - start) }, () => [
        workspace.id,
        'message',
        sessionOf(),
        newId(),
        now,
      ]);
      await api.db.run(sql`insert into embedding_queue (workspace_id, kind, scope_id, item_id, created_at) values ${rows(some)}`);
    }
  };
  const counts = async () => (await workspace.owner.get(`${workspace.url}/jobs`)).body.counts;
  const one = newId();
  await queue(5_000, () => one);
  expect(await counts()).toEqual({ waiting: 1, running: 0, failed: 0, capped: false });
  await queue(999, newId);
  expect(await counts()).toEqual({ waiting: 1_000, running: 0, failed: 0, capped: false });
  await queue(1, newId);
  expect(await counts()).toEqual({ waiting: 1_000, running: 0, failed: 0, capped: true });
});
