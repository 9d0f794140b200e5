/** One message to /mcp as its bytes go over the wire, without a client that would put it right. */
import type { InjectOptions } from 'fastify';
import type { Client, TestApi } from './api.ts';

export interface RpcAnswer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | number | undefined>;
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body, field by field.
  readonly body: any;
}

export type Headers = Readonly<Record<string, string>>;

const common = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** `payload` as it is when it is a string. */
export async function post(api: TestApi, headers: Headers, payload: unknown, method: InjectOptions['method'] = 'POST'): Promise<RpcAnswer> {
  const answer = await api.app.server.inject({
    method,
    url: '/mcp',
    headers: { ...common, ...headers },
    ...(payload !== undefined && { payload: typeof payload === 'string' ? payload : JSON.stringify(payload) }),
  });
  return { status: answer.statusCode, headers: answer.headers, body: answer.payload === '' ? undefined : JSON.parse(answer.payload) };
}

export function message(method: string, params: object = {}, id: number | string = 1) {
  return { jsonrpc: '2.0', id, method, params };
}

export function call(name: string, given: object = {}, id: number | string = 1) {
  return message('tools/call', { name, arguments: given }, id);
}

/** Where a client without a handshake is. */
export function rpc(api: TestApi, client: Client, scope: Headers, method: string, params: object = {}): Promise<RpcAnswer> {
  return post(api, { ...client.headers, ...scope }, message(method, params));
}
