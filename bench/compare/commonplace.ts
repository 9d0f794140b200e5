/** The service as a user starts it: embedded engine, built-in model, messages of sessions. */
import { newSecret } from '../../packages/server/src/auth/secrets.ts';
import { pause } from '../collections.ts';
import type { Load } from '../load.ts';
import type { Measure } from '../measure.ts';
import { newSession } from '../message-work.ts';
import { call, type Service, startService } from '../service.ts';
import { serviceBytes } from './disk-size.ts';
import { untilOk } from './first-answer.ts';
import type { HttpWork } from './http-callers.ts';
import { BATCH, CALLERS, callersOf, HITS, type Operation, type Peer, type RunningPeer, type Texts } from './peer.ts';

/** Each look costs the service a little. */
const POLL_MS = 100;
/** Each search is for a question that this process has not seen. */
const QUESTIONS_AT_ONCE = 5_000;

const apiKey = newSecret('apiKey');
/** The paths of messages, by the folder of the service and the scope: a scope outlives the process. */
const sessions = new Map<string, string>();

export const commonplace: Peer = {
  name: 'Commonplace',
  madeOf:
    'its server with the embedded engine and the built-in model, over HTTP; messages of sessions. A write is answered when it is on disk, and indexed behind that',
  missing: () => undefined,
  installedBytes: serviceBytes,
  start: async (processes, { folder, texts }) => {
    const callers = await processes.helper<HttpWork, Measure>('compare/http-callers.ts');
    const startMs = performance.now();
    const service = await startService(processes, { COMMONPLACE_DATA_DIR: folder, COMMONPLACE_ADMIN_API_KEY: apiKey });
    await untilOk(`${service.url}/api/v1/_ready`);
    const startSeconds = (performance.now() - startMs) / 1000;
    const ids = new Map<string, string[]>();
    let searches = 0;
    const sessionOf = async (scope: string) => {
      const key = `${folder} ${scope}`;
      const messages = sessions.get(key) ?? (await newSession(service));
      sessions.set(key, messages);
      return messages;
    };
    const own = () => Promise.all(Array.from({ length: CALLERS }, (_, caller) => sessionOf(`writes-${caller}`)));
    const requests: Record<Operation, (scope: string) => Promise<Load['requests']>> = {
      write: async () => writes(texts, await own()),
      batch: async () => batches(texts, await own()),
      read: async (scope) => {
        const messages = await sessionOf(scope);
        return (ids.get(scope) ?? []).map((id) => ({ method: 'GET', path: `${messages}/${id}` }));
      },
      search: async (scope) => {
        const path = `${await sessionOf(scope)}/search`;
        const first = (searches++ * QUESTIONS_AT_ONCE) % texts.questions.length;
        return texts.questions
          .slice(first, first + QUESTIONS_AT_ONCE)
          .map((query) => ({ method: 'POST', path, body: JSON.stringify({ query, limit: HITS }) }));
      },
    };
    const headers = { 'x-api-key': service.apiKey };
    return {
      startSeconds,
      pids: [service.pid],
      standInPids: [],
      fill: async (scope, some) => {
        const body = { messages: some.map((content) => ({ role: 'user', content })) };
        const { messages } = await call<{ messages: { id: string }[] }>(service, 'POST', `${await sessionOf(scope)}/batch`, body);
        ids.set(scope, [...(ids.get(scope) ?? []), ...messages.map(({ id }) => id)]);
      },
      settle: () => untilIndexed(service),
      measure: async (operation, scope, seconds) => {
        const asked = await requests[operation](scope);
        const content = asked[0]?.body === undefined ? {} : { 'content-type': 'application/json' };
        return callers.ask({
          url: service.url,
          headers: { ...headers, ...content },
          requests: asked,
          seconds,
          callers: callersOf(operation),
        });
      },
    } satisfies RunningPeer;
  },
};

function writes({ texts }: Texts, paths: readonly string[]): Load['requests'] {
  return texts.map((content, index) => ({
    method: 'POST',
    path: paths[index % paths.length] as string,
    body: JSON.stringify({ role: 'user', content }),
  }));
}

function batches({ texts }: Texts, paths: readonly string[]): Load['requests'] {
  return Array.from({ length: Math.floor(texts.length / BATCH) }, (_, index) => ({
    method: 'POST',
    path: `${paths[index % paths.length]}/batch`,
    body: JSON.stringify({
      messages: texts.slice(index * BATCH, (index + 1) * BATCH).map((content) => ({ role: 'user', content })),
    }),
  }));
}

async function untilIndexed(service: Service): Promise<void> {
  for (;;) {
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    if (/commonplace_search\{what="embedding_queue"\} 0\b/.test(metrics)) return;
    await pause(POLL_MS);
  }
}
