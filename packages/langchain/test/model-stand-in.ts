/** Stands in for the model: the chat completions API, as far as LangChain needs it. It asks for the weather where that is the question. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SentMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: unknown;
}

export interface ModelStandIn {
  /** For `baseURL` and `OPENAI_BASE_URL`. */
  readonly url: string;
  /** The messages of each request, in order. */
  readonly requests: readonly SentMessage[][];
  close(): Promise<void>;
}

export async function startModel(): Promise<ModelStandIn> {
  const requests: SentMessage[][] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { model, messages } = JSON.parse(body) as { model: string; messages: SentMessage[] };
    requests.push(messages);
    const message = answerTo(messages, requests.length);
    const answer = {
      id: `chatcmpl-${requests.length}`,
      object: 'chat.completion',
      created: 1,
      model,
      choices: [{ index: 0, message, finish_reason: 'tool_calls' in message ? 'tool_calls' : 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answerTo(messages: readonly SentMessage[], count: number) {
  const last = messages.at(-1);
  if (last?.role === 'user' && String(last.content).includes('weather')) {
    const call = { id: `call_${count}`, type: 'function', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } };
    return { role: 'assistant', content: null, tool_calls: [call] };
  }
  if (last?.role === 'tool') return { role: 'assistant', content: `It is ${last.content}.` };
  const said = messages.filter(({ role }) => role === 'user').map(({ content }) => String(content));
  return { role: 'assistant', content: `You said: ${said.join(' | ')}` };
}
