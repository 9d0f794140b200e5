/** The suite `context`: how fast a context is built, and how often it holds what a question needs. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadTokenCounter, type TokenCounter } from '../packages/server/src/model-context/tokens/token-counter.ts';
import { TOKENS_AROUND_MESSAGE, TOKENS_BEFORE_ANSWER } from '../packages/server/src/model-context/units.ts';
import { createEmbedder } from '../packages/server/src/search/embedding/create.ts';
import { pause, type StoredConversation, storeConversations, untilEmbedded } from './collections.ts';
import { openPostgresServer, type Postgres } from './postgres.ts';
import { Processes } from './processes.ts';
import { markdown, places, type SearchOptions, sessionOf, timed, upload } from './search.ts';
import { call, type Service, startService } from './service.ts';
import { heading, row } from './table.ts';
import { sentence } from './texts.ts';

const MESSAGES = 10_000;
const MEMORIES = 100;
const KNOWLEDGE_BYTES = 100_000;
const TOKEN_BUDGET = 2_000;
const BUDGETS = [2_000, 4_000, 32_000] as const;

export async function runContext({ data }: SearchOptions): Promise<void> {
  await using folders = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'commonplace-bench-'));
  folders.defer(() => rm(folder, { recursive: true, force: true }));
  await using postgres = await openPostgresServer();
  if (data === undefined) console.log('\nQuality is left out: name a folder with collections by --data.');
  else await quality(folder, data);
  await speed(folder, postgres);
}

/** Embedding is measured before and after in the same run, and the difference is what counts. */
async function speed(folder: string, postgres: Postgres | undefined): Promise<void> {
  heading(`context: speed, one caller, a session of ${MESSAGES} messages, every question new`, [
    '',
    'p50 ms',
    'p99 ms',
    'p50 above embedding',
  ]);
  const embedding = await embeddingAlone();
  row(['embedding the question alone', embedding.p50Ms.toFixed(2), embedding.p99Ms.toFixed(2), '']);
  for (const [name, environment] of await places(folder, 'context', postgres)) {
    await using processes = new Processes();
    const service = await startService(processes, environment);
    const session = await furnishedSession(service);
    for (const tokenBudget of BUDGETS) {
      await call(service, 'POST', `${session}/context`, { tokenBudget, query: 'the first loads indexes and vocabulary' });
      const measured = await timed(async (query) => void (await call(service, 'POST', `${session}/context`, { tokenBudget, query })));
      const above = measured.p50Ms - embedding.p50Ms;
      row([`${name}, ${tokenBudget} tokens`, measured.p50Ms.toFixed(2), measured.p99Ms.toFixed(2), `${above.toFixed(2)} (aim 30)`]);
    }
  }
}

async function embeddingAlone() {
  const embedder = createEmbedder({});
  const alone = await timed(async (question) => void (await embedder.embed([question], { priority: 'query' })));
  await embedder.close();
  return alone;
}

/** With a prompt, a summary, memories and knowledge beside its messages. */
async function furnishedSession(service: Service): Promise<string> {
  const session = (await sessionOf(service, MESSAGES)).replace(/\/messages$/, '');
  const [agent, workspace] = [session.split('/sessions/')[0] as string, session.split('/agents/')[0] as string];
  const { promptId } = await call<{ promptId: string }>(service, 'POST', `${workspace}/prompts`, {
    name: 'Bench',
    type: 'text',
    content: `You help. ${sentence(1)}`,
  });
  await call(service, 'PUT', agent, { promptId });
  const memories = Array.from({ length: MEMORIES }, (_, index) => ({ kind: 'fact', content: `User ${sentence(index + 50_000)}` }));
  await call(service, 'POST', `${session}/memories/batch`, { memories });
  await call(service, 'POST', `${session}/memories`, { kind: 'summary', content: `${sentence(3)}. ${sentence(4)}.` });
  const document = await upload(service, workspace, markdown(KNOWLEDGE_BYTES), 'knowledge');
  while ((await call<{ status: string }>(service, 'GET', `${workspace}/documents/${document}`)).status === 'processing') await pause(100);
  await untilEmbedded(service);
  return session;
}

interface Found {
  /** Of the questions: those with all of their evidence in. */
  whole: number;
  /** The share of the evidence that is in, summed over the questions. */
  share: number;
}

/** The constants were chosen on the questions with an even number; those with an odd one are the ones to go by. */
async function quality(folder: string, data: string): Promise<void> {
  const counter = await loadTokenCounter('o200k_base');
  await using processes = new Processes();
  const service = await startService(processes, { COMMONPLACE_DATA_DIR: join(folder, 'context-quality') });
  const { id } = await call<{ id: string }>(service, 'POST', '/api/v1/workspaces', { name: 'Quality' });
  const ways = ['context', 'latest messages', 'top hits'] as const;
  const halves = [0, 1].map(() => ({ questions: 0, found: ways.map((): Found => ({ whole: 0, share: 0 })) }));
  let number = 0;
  for await (const conversation of storeConversations(service, `/api/v1/workspaces/${id}`, data)) {
    const latest = fitting([...conversation.turns.keys()].reverse(), conversation, counter);
    for (const { text, relevant } of conversation.questions) {
      const half = halves[number++ % 2] as (typeof halves)[number];
      half.questions++;
      const shown = [await contextOf(service, conversation, text), latest, await topHits(service, conversation, text, counter)];
      shown.forEach((ids, way) => {
        const turns = new Set(ids.map((messageId) => conversation.turns.get(messageId)?.turnId));
        const share = relevant.filter((turn) => turns.has(turn)).length / relevant.length;
        const found = half.found[way] as Found;
        found.share += share;
        if (share === 1) found.whole++;
      });
    }
  }
  heading(`context: quality at ${TOKEN_BUDGET} tokens`, ['', 'all of the evidence is in', 'share of the evidence']);
  for (const [index, { questions, found }] of halves.entries()) {
    found.forEach(({ whole, share }, way) => {
      const half = index === 0 ? 'tuned on' : 'held out';
      row([`${half}, ${questions} questions: ${ways[way]}`, (whole / questions).toFixed(4), (share / questions).toFixed(4)]);
    });
  }
}

async function contextOf(service: Service, { session }: StoredConversation, query: string): Promise<string[]> {
  const { pieces } = await call<{ pieces: { type: string; id: string }[] }>(service, 'POST', `${session}/context`, {
    query,
    tokenBudget: TOKEN_BUDGET,
  });
  return pieces.filter(({ type }) => type === 'message').map(({ id }) => id);
}

async function topHits(service: Service, conversation: StoredConversation, query: string, counter: TokenCounter): Promise<string[]> {
  const { results } = await call<{ results: { id: string }[] }>(service, 'POST', `${conversation.session}/messages/search`, {
    query,
    limit: 100,
  });
  return fitting(
    results.map(({ id }) => id),
    conversation,
    counter,
  );
}

/** The first of them, as many as the budget holds by the same count. */
function fitting(ids: readonly string[], { turns }: StoredConversation, counter: TokenCounter): string[] {
  let tokens = TOKENS_BEFORE_ANSWER;
  const end = ids.findIndex((id) => {
    tokens += counter.count(turns.get(id)?.content ?? '') + TOKENS_AROUND_MESSAGE;
    return tokens > TOKEN_BUDGET;
  });
  return end === -1 ? [...ids] : ids.slice(0, end);
}
