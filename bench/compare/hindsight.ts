/** Hindsight's server on PostgreSQL, without a language model: it then keeps texts as they are. */
import { join } from 'node:path';
import type { Load } from '../load.ts';
import type { Measure } from '../measure.ts';
import { freePort } from '../service.ts';
import { bytesBelow } from './disk-size.ts';
import { environments, folderOf, whyNotInstalled } from './environments.ts';
import { untilOk } from './first-answer.ts';
import type { HttpWork } from './http-callers.ts';
import { startEmbeddings } from './libraries.ts';
import { BATCH, CALLERS, callersOf, type Operation, type Peer, type RunningPeer } from './peer.ts';

/** About as many as the others give: it is asked for tokens, not for hits. */
const RECALLED_TOKENS = 512;
const QUESTIONS_AT_ONCE = 1_000;

const environment = environments.hindsight;
const version = environment.packages['hindsight-api-slim'];

export function hindsight(hasPostgres: boolean): Peer {
  return {
    name: 'Hindsight',
    madeOf: `hindsight-api-slim ${version} from PyPI: its server over HTTP, on PostgreSQL (whose processor time and memory are not counted), without a language model and without reranking; embeddings from a stand-in on loopback with the built-in model of Commonplace`,
    missing: () => whyNotInstalled(environment) ?? (hasPostgres ? undefined : 'it needs PostgreSQL with pgvector, which is not here'),
    installedBytes: () => bytesBelow(folderOf(environment)),
    start: async (processes, { folder, databaseUrl, texts }) => {
      const endpoint = await startEmbeddings(processes);
      const variables = settings(await databaseUrl(), endpoint.url);
      const port = await freePort();
      const url = `http://127.0.0.1:${port}`;
      const callers = await processes.helper<HttpWork, Measure>('compare/http-callers.ts');
      const startMs = performance.now();
      const child = processes.start(join(folderOf(environment), 'bin/hindsight-api'), ['--host', '127.0.0.1', '--port', String(port)], {
        cwd: folder,
        env: { ...process.env, ...variables, HOME: folder },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let said = '';
      child.stderr?.on('data', (chunk) => {
        said = (said + chunk).slice(-2_000);
      });
      await untilOk(`${url}/health/ready`, () => (child.exitCode === null ? undefined : said));
      const startSeconds = (performance.now() - startMs) / 1000;
      const bank = (scope: string) => `/v1/default/banks/${scope}`;
      let searches = 0;
      const requests: Record<Operation, (scope: string) => Promise<Load['requests']>> = {
        write: async () => retainEach(texts.texts, 1),
        batch: async () => retainEach(texts.texts, BATCH),
        read: async (scope) => {
          const { items } = await ask<{ items: { id: string }[] }>(`${url}${bank(scope)}/memories/list?limit=${BATCH}`);
          if (items.length < BATCH) throw new Error(`${items.length} of ${BATCH} texts became memories`);
          return items.map(({ id }) => ({ method: 'GET', path: `${bank(scope)}/memories/${id}` }));
        },
        search: async (scope) => {
          const first = (searches++ * QUESTIONS_AT_ONCE) % texts.questions.length;
          return texts.questions.slice(first, first + QUESTIONS_AT_ONCE).map((query) => ({
            method: 'POST',
            path: `${bank(scope)}/memories/recall`,
            body: JSON.stringify({ query, budget: 'low', max_tokens: RECALLED_TOKENS }),
          }));
        },
      };
      const headers = { 'content-type': 'application/json' };
      return {
        startSeconds,
        pids: [child.pid as number],
        standInPids: [endpoint.pid],
        fill: async (scope, some) => void (await ask(`${url}${bank(scope)}/memories`, retain(some))),
        // It is asked to be done before it answers.
        settle: async () => undefined,
        measure: async (operation, scope, seconds) =>
          callers.ask({ url, headers, requests: await requests[operation](scope), seconds, callers: callersOf(operation) }),
      } satisfies RunningPeer;
    },
  };
}

function settings(databaseUrl: string, embeddingsUrl: string): Record<string, string> {
  return {
    HINDSIGHT_API_DATABASE_URL: databaseUrl,
    HINDSIGHT_API_LLM_PROVIDER: 'none',
    HINDSIGHT_API_EMBEDDINGS_PROVIDER: 'openai',
    HINDSIGHT_API_EMBEDDINGS_OPENAI_BASE_URL: embeddingsUrl,
    HINDSIGHT_API_EMBEDDINGS_OPENAI_API_KEY: 'none',
    HINDSIGHT_API_EMBEDDINGS_OPENAI_MODEL: 'local',
    HINDSIGHT_API_RERANKER_PROVIDER: 'rrf',
    HINDSIGHT_API_LOG_LEVEL: 'warning',
    OTEL_SDK_DISABLED: 'true',
  };
}

/** As many requests as there are texts for; each caller has a bank of its own. */
function retainEach(texts: readonly string[], at: number): Load['requests'] {
  return Array.from({ length: Math.floor(texts.length / at) }, (_, index) => ({
    method: 'POST',
    path: `/v1/default/banks/writes-${index % CALLERS}/memories`,
    body: JSON.stringify(retain(texts.slice(index * at, (index + 1) * at))),
  }));
}

function retain(texts: readonly string[]): object {
  return { items: texts.map((content) => ({ content })), async: false };
}

async function ask<T>(url: string, body?: object): Promise<T> {
  const answer = await fetch(url, body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${(await answer.text()).slice(0, 500)}`);
  return (await answer.json()) as T;
}
