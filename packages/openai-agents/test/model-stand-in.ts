/** Stands in for the model: the Responses API, as far as an agent needs it. It asks for the weather where that is the question. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface InputItem {
  readonly type?: string;
  readonly role?: string;
  readonly content?: string | readonly { readonly text?: string }[];
  readonly output?: unknown;
}

export interface ModelStandIn {
  /** For `baseURL` and `OPENAI_BASE_URL`. */
  readonly url: string;
  /** The input of each request, in order. */
  readonly inputs: readonly InputItem[][];
  close(): Promise<void>;
}

export async function startModel(): Promise<ModelStandIn> {
  const inputs: InputItem[][] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { model, input } = JSON.parse(body) as { model: string; input: InputItem[] };
    inputs.push(input);
    const answer = {
      id: `resp_${inputs.length}`,
      object: 'response',
      created_at: 1,
      status: 'completed',
      model,
      output: outputFor(input, inputs.length),
      usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2, input_tokens_details: {}, output_tokens_details: {} },
    };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    inputs,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function textOf({ content }: InputItem): string {
  return typeof content === 'string' ? content : (content ?? []).map(({ text }) => text ?? '').join('');
}

function outputFor(input: readonly InputItem[], count: number): unknown[] {
  const last = input.at(-1);
  const asked = last && last.type !== 'function_call_output' ? textOf(last) : '';
  if (asked.includes('weather')) {
    return [
      { type: 'reasoning', id: `rs_${count}`, summary: [{ type: 'summary_text', text: 'I have to look it up.' }] },
      {
        type: 'function_call',
        id: `fc_${count}`,
        call_id: `call_${count}`,
        name: 'get_weather',
        arguments: '{"city":"Paris"}',
        status: 'completed',
      },
    ];
  }
  const said = input.filter(({ role }) => role === 'user').map(textOf);
  const text = last?.type === 'function_call_output' ? 'It is 18 degrees in Paris.' : `You said: ${said.join(' | ')}`;
  const content = [{ type: 'output_text', text, annotations: [] }];
  return [{ type: 'message', id: `msg_${count}`, role: 'assistant', status: 'completed', content }];
}
