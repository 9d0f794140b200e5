/** Servers ended hard under load: what was acknowledged is there, once; what a change left to be done is done. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { sql } from '../../src/db/sql.ts';
import type { Answer, TestSession } from '../api.ts';
import type { StartedCluster } from '../cluster.ts';
import { canStartOwn, newWorkspacePerWorker, type OwnCitus, startOwnCitus } from './own-citus.ts';

const WRITERS_OF_EACH = 4;
const CRASHES = Number(process.env.TEST_CITUS_CRASHES ?? 6);
/** Acknowledged writes between two crashes. */
const WRITES_BETWEEN = 40;

interface Written {
  readonly contents: Set<string>;
  readonly filenames: Set<string>;
  refused: number;
  failed: string[];
}

/** Each write is sent until it is acknowledged, with one key: however often it was begun, it is there once. */
async function write(session: TestSession, name: string, written: Written, isOver: () => boolean): Promise<void> {
  for (let number = 0; !isOver(); number++) {
    const content = `${name}-${number}`;
    const isDocument = number % 5 === 4;
    for (;;) {
      const key = { 'idempotency-key': content };
      const answer = isDocument
        ? await upload(session, content, key)
        : await session.runtime.post(`${session.url}/messages`, { role: 'user', content }, key);
      if (answer.status < 300) break;
      if (answer.status === 503) written.refused++;
      else written.failed.push(`${answer.status} ${answer.text}`);
      await sleep(50);
    }
    (isDocument ? written.filenames : written.contents).add(content);
  }
}

async function upload({ agent, runtime }: TestSession, title: string, headers: Record<string, string>): Promise<Answer> {
  const form = new FormData();
  form.append('title', title);
  form.append('file', new Blob(['Some text.']), 'a.md');
  const encoded = new Response(form);
  const contentType = encoded.headers.get('content-type') as string;
  const body = Buffer.from(await encoded.arrayBuffer());
  return runtime.post(`${agent.workspace.url}/documents`, body, { 'content-type': contentType, ...headers });
}

async function crashUnderLoad(citus: OwnCitus, servers: readonly StartedCluster[]): Promise<void> {
  const workspaces = await newWorkspacePerWorker(citus);
  const sessions = await Promise.all(workspaces.map(async (workspace) => citus.api.newSession(await citus.api.newAgent(workspace))));
  const written: Written = { contents: new Set(), filenames: new Set(), refused: 0, failed: [] };
  let isOver = false;
  const writers = sessions.flatMap((session, place) =>
    Array.from({ length: WRITERS_OF_EACH }, (_, writer) => write(session, `${place}-${writer}`, written, () => isOver)),
  );
  for (let crash = 0; crash < CRASHES; crash++) {
    const enough = written.contents.size + WRITES_BETWEEN;
    while (written.contents.size < enough) await sleep(5);
    const server = servers[crash % servers.length] as StartedCluster;
    server.crash();
    await server.startAgain();
  }
  const enough = written.contents.size + WRITES_BETWEEN;
  while (written.contents.size < enough) await sleep(5);
  isOver = true;
  await Promise.all(writers);
  expect(written.failed).toEqual([]);

  const stored = await citus.api.db.query(sql<{ content: string }>`select content from messages`);
  expect(stored.map(({ content }) => content).sort(), 'none lost, none doubled').toEqual([...written.contents].sort());
  const documents = await citus.api.db.query(sql<{ id: string; title: string; status: string }>`select id, title, status from documents`);
  expect(documents.map(({ title }) => title).sort(), 'none lost, none doubled').toEqual([...written.filenames].sort());
  const jobs = await citus.api.db.query(sql<{ key: string }>`select key from jobs where kind = 'index-document'`);
  const begun = documents.filter(({ status }) => status === 'processing').map(({ id }) => id);
  expect(jobs.map(({ key }) => key).sort(), 'every document has its job').toEqual(begun.sort());
  const left = await citus.api.db.query(sql`select gid from pg_prepared_xacts`);
  expect(left).toEqual([]);
  console.log(`${written.contents.size + written.filenames.size} acknowledged, ${written.refused} times 503, ${CRASHES} crashes`);
}

test.runIf(canStartOwn)('the coordinator is ended hard under load: none is lost, none doubled', async () => {
  const citus = await startOwnCitus();
  await crashUnderLoad(citus, [citus.coordinator]);
});

test.runIf(canStartOwn)('the workers are ended hard under load: none is lost, none doubled', async () => {
  const citus = await startOwnCitus();
  await crashUnderLoad(citus, citus.workers);
});
