/** An embeddings endpoint for tests, and the service that is configured with it. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, onTestFinished } from 'vitest';
import { createApp } from '../src/app.ts';
import type { Config } from '../src/config.ts';
import { type Answer, type Client, made, openApi, TestApi } from './api.ts';

type Fault = 'none' | 'slow' | 'dead' | 'wrong dimensions' | 'busy' | 'refuses' | 'picky';

/** Vectors of words, so that texts with the same words are near. The model `wide` has more dimensions. */
function vectorOf(text: string, dimensions: number): number[] {
  const vector = new Array<number>(dimensions).fill(0.01);
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    let hash = 7;
    for (const character of word) hash = (hash * 31 + (character.codePointAt(0) as number)) % 1_000_003;
    vector[hash % dimensions] = (vector[hash % dimensions] as number) + 1;
  }
  return vector;
}

/** What means the same in several languages, for the model `multilingual`. */
const MEANINGS = [
  ['dog', 'perro', 'hund', 'chien', 'собака', '犬', 'كلب'],
  ['invoice', 'factura', 'rechnung', 'facture', 'счёт', '請求書', 'فاتورة'],
  ['train', 'tren', 'zug', 'le train', 'поезд', '電車', 'قطار'],
  ['bread', 'pan', 'brot', 'pain', 'хлеб', 'パン', 'خبز'],
];

/** Texts on the same thing are near, whatever their languages. */
function meaningOf(text: string, dimensions: number): number[] {
  const vector = new Array<number>(dimensions).fill(0.01);
  const lower = text.toLowerCase();
  for (const [place, words] of MEANINGS.entries()) if (words.some((word) => lower.includes(word))) vector[place] = 1;
  return vector;
}

function inBase64(vector: readonly number[]): string {
  return Buffer.from(Float32Array.from(vector).buffer).toString('base64');
}

export async function newEndpoint() {
  const state = {
    fault: 'none' as Fault,
    asked: 0,
    texts: 0,
    failAfterTexts: Number.POSITIVE_INFINITY,
    lastModel: '',
    seen: [] as string[],
    /** The texts of each request. */
    requests: [] as string[][],
    /** None is answered before this is over. */
    held: Promise.resolve() as Promise<unknown>,
    /** Requests that were under way at a time. */
    mostAtOnce: 0,
  };
  let atOnce = 0;
  const answers: Record<Fault, (response: ServerResponse, texts: string[], dimensions: number) => void> = {
    none: (response, texts, dimensions) => {
      const embed = state.lastModel === 'multilingual' ? meaningOf : vectorOf;
      const data = texts.map((text, index) => ({ index, embedding: inBase64(embed(text, dimensions)) }));
      response.end(JSON.stringify({ data }));
    },
    slow: (...all) => setTimeout(answers.none, 300, ...all),
    dead: (response) => response.destroy(),
    'wrong dimensions': (response, texts, dimensions) => answers.none(response, texts, dimensions - 1),
    busy: (response) => response.writeHead(429, { 'retry-after': '0.05' }).end(),
    refuses: (response) => response.writeHead(401).end(),
    picky: (response, texts, dimensions) =>
      texts.some((text) => text.includes('forbidden')) ? response.writeHead(400).end() : answers.none(response, texts, dimensions),
  };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    const { input, model } = JSON.parse(body) as { input: string[]; model: string };
    state.asked++;
    state.seen.push(...input);
    state.requests.push(input);
    state.lastModel = model;
    state.mostAtOnce = Math.max(state.mostAtOnce, ++atOnce);
    response.once('close', () => atOnce--);
    await state.held;
    if (state.texts + input.length > state.failAfterTexts) state.fault = 'refuses';
    if (state.fault === 'none' || state.fault === 'slow') state.texts += input.length;
    answers[state.fault](response, input, model === 'wide' ? 48 : 32);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(state, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` });
}

export async function openWithEndpoint(more: Record<string, string> = {}) {
  const endpoint = await newEndpoint();
  const environment = { COMMONPLACE_EMBEDDINGS_URL: endpoint.url, COMMONPLACE_EMBEDDINGS_MODEL: 'narrow', ...more };
  const { api, close } = await openApi(environment);
  onTestFinished(close);
  return { endpoint, api };
}

/** Another process on the same database, with something else configured. */
export async function restart(api: TestApi, changes: Partial<Config>): Promise<TestApi> {
  const app = await createApp({ ...api.app.context.config, ...changes }, api.db, pino({ level: 'silent' }), api.clock);
  onTestFinished(() => app.close());
  return new TestApi(app, api.db, api.clock);
}

/** The jobs wait for the background, and it for them. */
export async function drainBoth(api: TestApi): Promise<void> {
  let isDone = false;
  const jobs = api.drainJobs().finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await api.app.indexing.drain();
    await turn();
  }
  await jobs;
}

export async function upload(client: Client, url: string, content: string): Promise<string> {
  const form = new FormData();
  form.append('title', 'A title');
  form.append('file', new Blob([content]), 'a.md');
  const encoded = new Response(form);
  const headers = { 'content-type': encoded.headers.get('content-type') as string };
  return made(await client.post(`${url}/documents`, Buffer.from(await encoded.arrayBuffer()), headers)).id;
}

export async function search(client: Client, url: string, query: string, more: Record<string, unknown> = {}): Promise<Answer['body'][]> {
  const { status, body, text } = await client.post(`${url}/search`, { query, explain: true, ...more });
  expect(status, text).toBe(200);
  return body.results;
}
