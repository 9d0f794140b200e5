/** An embeddings endpoint that answers as a test says, for the embedder alone. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { RemoteEmbedder, type RemoteLimits } from '../src/search/embedding/remote.ts';

export interface Asked {
  readonly path: string | undefined;
  readonly authorization: string | undefined;
  readonly body: { model: string; input: string[]; encoding_format: string };
}
export type Answer = (response: ServerResponse, asked: Asked) => void;

export const KEY = 'sk-very-secret';
const limits: Partial<RemoteLimits> = { timeoutMs: 120_000, firstBackoffMs: 1, breakAfter: 100 };

/** Two dimensions: the length of the text and 1. */
export const vectorOf = (text: string) => [text.length, 1];
export const good: Answer = (response, { body }) =>
  response.end(JSON.stringify({ data: body.input.map((text, index) => ({ index, embedding: vectorOf(text) })) }));
export const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(code, headers).end('no');
export const silent: Answer = () => {};

/** Answers as the list says, and then well, or always as the function says. */
export async function openEndpoint(answers: Answer[] | Answer = [], more: Partial<RemoteLimits> = {}) {
  const asked: Asked[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const seen = { path: request.url, authorization: request.headers.authorization, body: JSON.parse(text) as Asked['body'] };
    asked.push(seen);
    const answer = Array.isArray(answers) ? (answers.shift() ?? good) : answers;
    answer(response, seen);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const logged: unknown[] = [];
  const note = (...line: unknown[]) => logged.push(line);
  const log = { info: note, warn: note, error: note };
  const embedder = new RemoteEmbedder({
    url: `http://127.0.0.1:${port}/v1/`,
    model: 'small',
    apiKey: KEY,
    log,
    limits: { ...limits, ...more },
  });
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(async () => {
    await embedder.close();
    if (server.listening) await stop();
  });
  return { embedder, asked, logged, port, stop };
}
