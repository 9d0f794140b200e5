/** A stand-in for a model: an OpenAI-compatible endpoint that keeps what it was sent and answers by a script. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { onTestFinished } from 'vitest';

export interface SentMessage {
  readonly role: string;
  readonly content: unknown;
  readonly tool_calls?: unknown;
}

export interface ScriptedAnswer {
  /** Given in as many pieces as it is cut into. */
  readonly text?: readonly string[];
  readonly toolCall?: { readonly name: string; readonly input: object };
  /** In place of an answer. */
  readonly status?: number;
  /** Of a stream, after the text: the connection breaks, an error is told, or nothing more comes. */
  readonly ending?: 'break' | 'error' | 'silence';
}

export interface ModelServer {
  readonly url: string;
  readonly model: LanguageModelV4;
  /** The messages of each request, as they came. */
  readonly requests: SentMessage[][];
  answer(...script: ScriptedAnswer[]): void;
}

export async function startModelServer(): Promise<ModelServer> {
  const requests: SentMessage[][] = [];
  let script: ScriptedAnswer[] = [];
  const server = createServer(async (incoming, outgoing) => {
    let text = '';
    for await (const chunk of incoming) text += chunk;
    const { messages, stream } = JSON.parse(text) as { messages: SentMessage[]; stream?: boolean };
    requests.push(messages);
    const next = script.shift() ?? { text: ['Nothing more is scripted.'] };
    if (next.status) outgoing.writeHead(next.status, { 'content-type': 'application/json' }).end('{"error":{"message":"no"}}');
    else if (stream) streamAnswer(outgoing, next);
    else outgoing.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(completion(next)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return {
    url: baseURL,
    model: createOpenAICompatible({ name: 'stand-in', baseURL, apiKey: 'k' })('gpt-stand-in'),
    requests,
    answer: (...answers) => {
      script = answers;
    },
  };
}

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const head = { id: 'c', created: 1, model: 'gpt-stand-in' };

function completion({ text = [], toolCall }: ScriptedAnswer): object {
  const message = { role: 'assistant', content: text.join('') || null, ...(toolCall && { tool_calls: [calling(toolCall)] }) };
  return { ...head, choices: [{ index: 0, message, finish_reason: toolCall ? 'tool_calls' : 'stop' }], usage };
}

function streamAnswer(outgoing: ServerResponse, { text = [], toolCall, ending }: ScriptedAnswer): void {
  outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (data: object | string) => outgoing.write(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
  const sendDelta = (delta: object, finish_reason: string | null = null) =>
    send({ ...head, choices: [{ index: 0, delta, finish_reason }], ...(finish_reason && { usage }) });
  for (const content of text) sendDelta({ role: 'assistant', content });
  if (ending === 'silence') return;
  if (ending === 'break') {
    outgoing.write('', () => outgoing.destroy());
    return;
  }
  if (ending === 'error') {
    send({ error: { message: 'the model stumbled' } });
    outgoing.end();
    return;
  }
  if (toolCall) sendDelta({ tool_calls: [{ index: 0, ...calling(toolCall) }] });
  sendDelta({}, toolCall ? 'tool_calls' : 'stop');
  send('[DONE]');
  outgoing.end();
}

function calling({ name, input }: { name: string; input: object }): object {
  return { id: `call-${name}`, type: 'function', function: { name, arguments: JSON.stringify(input) } };
}
