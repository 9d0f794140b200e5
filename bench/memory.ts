/** The suite `memory`: what the built-in extractor finds and misses, whether it keeps up, and what writers feel of it. */
import { join } from 'node:path';
import { extractFromMessage } from '@commonplace/english/extract';
import { looksSecret } from '@commonplace/english/secrets';
import { createLlmExtractor } from '../packages/server/src/memories/extraction/llm/extractor.ts';
import { startLlmEndpoint } from '../packages/server/test/llm-endpoint.ts';
import { cpuSecondsOf } from './cpu.ts';
import {
  type Case,
  clearanceOf,
  endsOf,
  type Judged,
  judge,
  judgeWithSlow,
  precisionOf,
  readCases,
  recallOf,
  silenceOf,
  textsOf,
  userMessagesOf,
} from './labelled.ts';
import { answersFrom } from './llm-stand-in.ts';
import type { Load } from './load.ts';
import { CONNECTIONS, type Measure } from './measure.ts';
import { NO_EMBEDDER } from './message-work.ts';
import { Processes } from './processes.ts';
import { reportRates, reportRatios } from './rates.ts';
import { type Effort, loadCase, measureSides } from './rounds.ts';
import { call, type Service, startService } from './service.ts';
import { heading, row } from './table.ts';
import { temporaryFolder } from './temporary-folder.ts';

const PACE_PER_SECOND = 500;
const PACED_SECONDS = 20;

export async function runMemory(effort: Effort): Promise<void> {
  await using folder = await temporaryFolder();
  const development = await readCases('development');
  await quality(development);
  await qualityOfModel();
  // The messages that speed was always measured with: most of the others are longer.
  const short = development.filter(({ id }) => id.startsWith('dev-'));
  await keepingUp(folder.path, short);
  await writing(folder.path, short, effort);
}

const SHARES = [
  '',
  'cases',
  'precision',
  'recall',
  'silent where nothing is to be kept',
  'ends when it was said to',
  'gone when it was taken back',
];

async function quality(development: readonly Case[]): Promise<void> {
  heading('memory: the built-in extractor on labelled messages', [...SHARES, 'µs a message']);
  for (const [name, cases] of [
    ['development', development],
    ['held out', await readCases('held-out')],
  ] as const) {
    qualityRow(name, cases);
    const registers = Map.groupBy(cases, ({ register }) => register);
    for (const [register, some] of registers) if (register !== undefined && name === 'held out') qualityRow(`… ${register}`, some);
  }
}

function qualityRow(name: string, cases: readonly Case[]): void {
  const messages = cases.flatMap(userMessagesOf);
  const start = performance.now();
  for (const message of messages) extractFromMessage(message, []);
  const micros = ((performance.now() - start) / messages.length) * 1000;
  row([...sharesOf(name, cases.map(judge)), micros.toFixed(0)]);
}

/** What is lost on the way of what a model answers, whatever the model: this one answers what the labels say. */
async function qualityOfModel(): Promise<void> {
  const cases = await readCases('held-out');
  const endpoint = await startLlmEndpoint({ answer: answersFrom(cases) });
  const { extract } = createLlmExtractor({ url: endpoint.url, model: 'stand-in', apiKey: undefined, isSecret: looksSecret });
  const { signal } = new AbortController();
  const judged: Judged[] = [];
  for (const one of cases) judged.push(await judgeWithSlow(one, (message, known) => extract([message], known, signal)));
  await endpoint.stop();
  heading('memory: a language model that answers what the labels say', SHARES);
  row(sharesOf('held out', judged));
}

function sharesOf(name: string, judged: readonly Judged[]): string[] {
  const shares = [precisionOf, recallOf, silenceOf, endsOf, clearanceOf].map((share) => shareText(share(judged)));
  return [name, String(judged.length), ...shares];
}

function shareText(share: number): string {
  return Number.isNaN(share) ? '–' : share.toFixed(3);
}

/** A steady stream of what people say, and how far extraction is behind when it ends. */
async function keepingUp(folder: string, cases: readonly Case[]): Promise<void> {
  await using processes = new Processes();
  const generator = await processes.helper<Load, Measure>('load.ts');
  const service = await startService(processes, { COMMONPLACE_DATA_DIR: join(folder, 'pace') });
  const sessions = await newSessions(service, true);
  const requests = requestsTo(sessions, cases);
  const before = cpuSecondsOf(service.pid) ?? Number.NaN;
  const measured = await generator.ask({
    url: service.url,
    headers: headersOf(service),
    requests,
    seconds: PACED_SECONDS,
    perSecond: PACE_PER_SECOND,
  });
  const behind = await pending(service, sessions);
  const start = performance.now();
  while ((await pending(service, sessions)) > 0) await new Promise((resolve) => setTimeout(resolve, 50));
  const cpuMicros = (((cpuSecondsOf(service.pid) ?? Number.NaN) - before) * 1e6) / (measured.perSecond * measured.seconds);
  heading(`memory: ${PACE_PER_SECOND} user messages a second for ${PACED_SECONDS} s, in ${sessions.length} sessions`, ['', '']);
  row(['written a second', measured.perSecond.toFixed(0)]);
  row(['CPU µs for a message, until all were looked at', cpuMicros.toFixed(0)]);
  row(['p99 of a write, ms', measured.p99Ms.toFixed(1)]);
  row(['not yet looked at when it ended', String(behind)]);
  row(['until all were looked at, s', ((performance.now() - start) / 1000).toFixed(1)]);
}

/** As fast as it goes, with extraction and without, in turns. */
async function writing(folder: string, cases: readonly Case[], effort: Effort): Promise<void> {
  await using processes = new Processes();
  const generator = await processes.helper<Load, Measure>('load.ts');
  let count = 0;
  const sides = ['without extraction', 'with extraction'].map((name) => ({
    open: async (running: Processes) => {
      const service = await startService(running, { COMMONPLACE_DATA_DIR: join(folder, `writing-${count++}`), ...NO_EMBEDDER });
      const sessions = await newSessions(service, name === 'with extraction');
      return [loadCase(generator, name, service, requestsTo(sessions, cases))];
    },
  }));
  const rounds = await measureSides(sides, effort);
  const title = `memory: writes with extraction behind them, ${CONNECTIONS} callers at once, median of ${effort.rounds} rounds of ${effort.seconds} s`;
  reportRates(title, rounds);
  reportRatios(rounds, [{ of: 'with extraction', to: 'without extraction', aim: 0.9 }]);
}

function requestsTo(sessions: readonly string[], cases: readonly Case[]): Load['requests'] {
  const contents = cases.flatMap(textsOf);
  return contents.map((content, index) => ({
    method: 'POST' as const,
    path: `${sessions[index % sessions.length]}/messages`,
    body: JSON.stringify({ role: 'user', content }),
  }));
}

function headersOf(service: Service) {
  return { 'x-api-key': service.apiKey, 'content-type': 'application/json' };
}

async function newSessions(service: Service, memoryPipeline: boolean): Promise<string[]> {
  const { id: workspaceId } = await call<{ id: string }>(service, 'POST', '/api/v1/workspaces', { name: 'Bench' });
  const agents = `/api/v1/workspaces/${workspaceId}/agents`;
  const agent = { name: 'Bench', description: 'Bench', configs: { memoryPipeline } };
  const { id: agentId } = await call<{ id: string }>(service, 'POST', agents, agent);
  const sessions: string[] = [];
  while (sessions.length < CONNECTIONS) {
    const { id } = await call<{ id: string }>(service, 'POST', `${agents}/${agentId}/sessions`);
    sessions.push(`${agents}/${agentId}/sessions/${id}`);
  }
  return sessions;
}

async function pending(service: Service, sessions: readonly string[]): Promise<number> {
  const all = await Promise.all(sessions.map((session) => call<{ pending: number }>(service, 'GET', `${session}/memories/status`)));
  return all.reduce((sum, one) => sum + one.pending, 0);
}
