/** The suite `context`: how fast a context is built, and how often it holds what a question needs. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadTokenCounter, type TokenCounter } from '../packages/server/src/model-context/tokens/token-counter.ts';
import { TOKENS_AROUND_MESSAGE, TOKENS_BEFORE_ANSWER } from '../packages/server/src/model-context/units.ts';
import { createEmbedder } from '../packages/server/src/search/embedding/create.ts';
import { pause, type StoredConversation, storeConversations, untilEmbedded } from './collections.ts';
import { measureOf } from './measure.ts';
import { openPostgresServer, type Postgres } from './postgres.ts';
import { Processes } from './processes.ts';
import type { SearchOptions } from './search.ts';
import { markdown, places, sessionOf, upload } from './search-data.ts';
import { call, type Service, startService } from './service.ts';
import { heading, row } from './table.ts';
import { questions, sentence } from './texts.ts';

const MESSAGES = 10_000;
const MEMORIES = 100;
const KNOWLEDGE_BYTES = 100_000;
const TOKEN_BUDGET = 2_000;
const BUDGETS = [2_000, 4_000, 32_000] as const;
const QUESTIONS = 200;
const WARM_UP = 20;

export async function runContext({ data }: SearchOptions): Promise<void> {
  await using folders = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'commonplace-bench-'));
  folders.defer(() => rm(folder, { recursive: true, force: true }));
  await using postgres = await openPostgresServer();
  if (data === undefined) console.log('\nQuality is left out: name a folder with collections by --data.');
  else await quality(folder, data);
  await speed(folder, postgres);
}

/** Each question is embedded alone and then asked: what else runs on the machine disturbs both alike, and the difference is what counts. */
async function speed(folder: string, postgres: Postgres | undefined): Promise<void> {
  const embedder = createEmbedder({});
  const columns = ['', 'embedding alone, p50', 'whole request, p50', 'p99', 'least', 'beyond embedding, p50 (aim 30)', 'least'];
  heading(`context: speed in ms, one caller, a session of ${MESSAGES} messages, every question new`, columns);
  const engines = await places(folder, 'context', postgres);
  // None is asked twice, so that no cache answers.
  const asked = questions((WARM_UP + QUESTIONS) * BUDGETS.length * engines.length);
  for (const [name, environment] of engines) {
    await using processes = new Processes();
    const service = await startService(processes, environment);
    const session = await furnishedSession(service);
    for (const tokenBudget of BUDGETS) {
      const embeddings: number[] = [];
      const contexts: number[] = [];
      for (const query of asked.splice(0, WARM_UP + QUESTIONS)) {
        embeddings.push(await elapsedMs(() => embedder.embed([query], { priority: 'query' })));
        contexts.push(await elapsedMs(() => call(service, 'POST', `${session}/context`, { tokenBudget, query })));
      }
      const of = (times: readonly number[]) => ({ ...measureOf(times.slice(WARM_UP), 1), leastMs: Math.min(...times.slice(WARM_UP)) });
      const [embedding, context] = [of(embeddings), of(contexts)];
      const difference = of(contexts.map((ms, index) => ms - (embeddings[index] as number)));
      const shown = [embedding.p50Ms, context.p50Ms, context.p99Ms, context.leastMs, difference.p50Ms, difference.leastMs];
      row([`${name}, ${tokenBudget} tokens`, ...shown.map((ms) => ms.toFixed(2))]);
    }
  }
  await embedder.close();
}

async function elapsedMs(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
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

/** The constants were chosen on other conversations, of bench/recall. */
async function quality(folder: string, data: string): Promise<void> {
  const counter = await loadTokenCounter('o200k_base');
  await using processes = new Processes();
  const service = await startService(processes, { COMMONPLACE_DATA_DIR: join(folder, 'context-quality') });
  const { id } = await call<{ id: string }>(service, 'POST', '/api/v1/workspaces', { name: 'Quality' });
  const ways = ['context', 'latest messages', 'top hits'] as const;
  const measured: { questions: number; found: Found[] }[] = [];
  for await (const conversation of storeConversations(service, `/api/v1/workspaces/${id}`, data)) {
    const found = ways.map((): Found => ({ whole: 0, share: 0 }));
    measured.push({ questions: conversation.questions.length, found });
    const latest = fitting([...conversation.turns.keys()].reverse(), conversation, counter);
    for (const { text, relevant } of conversation.questions) {
      const shown = [await contextOf(service, conversation, text), latest, await topHits(service, conversation, text, counter)];
      shown.forEach((ids, way) => {
        const turns = new Set(ids.map((messageId) => conversation.turns.get(messageId)?.turnId));
        const share = relevant.filter((turn) => turns.has(turn)).length / relevant.length;
        const foundBy = found[way] as Found;
        foundBy.share += share;
        if (share === 1) foundBy.whole++;
      });
    }
  }
  heading(`context: quality at ${TOKEN_BUDGET} tokens`, ['', 'all of the evidence is in', 'share of the evidence']);
  for (const [name, some] of [
    ['the last conversation', measured.slice(-1)],
    ['the others', measured.slice(0, -1)],
    ['all', measured],
  ] as const) {
    const questions = sum(some.map((one) => one.questions));
    for (const [way, title] of ways.entries()) {
      const found = some.map((one) => one.found[way] as Found);
      const means = [found.map(({ whole }) => whole), found.map(({ share }) => share)].map((counts) => sum(counts) / questions);
      row([`${name}, ${questions} questions: ${title}`, ...means.map((mean) => mean.toFixed(4))]);
    }
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
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
