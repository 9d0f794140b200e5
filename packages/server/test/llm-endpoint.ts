/** A language model for tests: an OpenAI-compatible endpoint that answers as it is told, or fails as it is told. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the extractor shows the model. */
export interface ShownData {
  readonly known: readonly { readonly number: number; readonly kind: string; readonly content: string; readonly slot: string | null }[];
  readonly messages: readonly { readonly number: number; readonly time: string; readonly before?: string; readonly text: string }[];
}

export interface LlmRequest {
  readonly path: string | undefined;
  readonly authorization: string | undefined;
  readonly body: {
    readonly model: string;
    readonly messages: readonly { readonly role: string; readonly content: string }[];
    readonly temperature?: number;
    readonly response_format?: { readonly type: string; readonly json_schema?: { readonly name: string; readonly strict: boolean } };
  };
  readonly shown: ShownData;
}

/** Answers in place of the model. */
export type Fault = (response: ServerResponse, request: LlmRequest) => void;

export interface LlmEndpointOptions {
  /** What the model says to what it is shown: an object as JSON, a string as it is. Nothing to remember, if not given. */
  readonly answer?: ((shown: ShownData, request: LlmRequest) => object | string) | undefined;
  /** Of each answer; left out of the answers where it is null. */
  readonly tokens?: number | null | undefined;
}

export interface LlmEndpoint {
  /** As it is configured, with `/v1`. */
  readonly url: string;
  readonly requests: readonly LlmRequest[];
  /** The most requests that were open at once. */
  readonly mostAtOnce: number;
  /** Each is for one request, before `fault` and the answer. */
  readonly nextFaults: Fault[];
  /** While it is set, every request meets it. */
  fault: Fault | undefined;
  stop(): Promise<void>;
}

export const status =
  (code: number, headers: Record<string, string> = {}, body: string | object = 'no'): Fault =>
  (response) =>
    response.writeHead(code, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
export const silence: Fault = () => {};
export const hangUp: Fault = (response) => response.destroy();
export const raw =
  (body: string): Fault =>
  (response) =>
    response.end(body);
/** The model says this. */
export const says =
  (content: unknown, usage?: object): Fault =>
  (response) =>
    response.end(completion(content, usage));

export async function startLlmEndpoint(options: LlmEndpointOptions = {}): Promise<LlmEndpoint> {
  const { answer = () => ({ memories: [], withdrawn: [] }), tokens = 100 } = options;
  const requests: LlmRequest[] = [];
  const nextFaults: Fault[] = [];
  const open = new Set<ServerResponse>();
  let mostAtOnce = 0;

  const reply: Fault = (response, request) => {
    const said = answer(request.shown, request);
    const content = typeof said === 'string' ? said : JSON.stringify(said);
    response.end(completion(content, tokens === null ? undefined : { total_tokens: tokens }));
  };
  const server = createServer(async (incoming, response) => {
    open.add(response);
    mostAtOnce = Math.max(mostAtOnce, open.size);
    // Before the answer leaves: whoever has it may ask again at once.
    response.once('prefinish', () => open.delete(response));
    response.once('close', () => open.delete(response));
    // Nothing where the caller gave up, or where it is no request of the extractor's.
    const request = await readRequest(incoming).catch(() => undefined);
    if (!request) return void response.writeHead(500).end();
    requests.push(request);
    (nextFaults.shift() ?? endpoint.fault ?? reply)(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const endpoint: LlmEndpoint = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    get mostAtOnce() {
      return mostAtOnce;
    },
    nextFaults,
    fault: undefined,
    async stop() {
      if (!server.listening) return;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return endpoint;
}

async function readRequest(incoming: IncomingMessage): Promise<LlmRequest> {
  let text = '';
  for await (const chunk of incoming.setEncoding('utf8')) text += chunk;
  const body = JSON.parse(text) as LlmRequest['body'];
  const shown = JSON.parse(body.messages.at(-1)?.content ?? '') as ShownData;
  return { path: incoming.url, authorization: incoming.headers.authorization, body, shown };
}

function completion(content: unknown, usage?: object): string {
  const message = { role: 'assistant', content };
  return JSON.stringify({ object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'stop' }], usage });
}
