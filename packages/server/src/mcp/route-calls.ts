/** Declared routes called from inside the process, as their caller would: identified, checked, charged and limited all the same. */
import type { FastifyInstance } from 'fastify';
import { AppError, type ErrorCode, type ErrorDetail } from '../errors.ts';
import { API_PREFIX } from '../http/api.ts';
import type { DeclaredRoute } from '../http/route.ts';
import { LARGE_BYTES, largeWork } from '../lanes/loop-turns.ts';
import type { Scope } from './scope.ts';

export interface RouteCall {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RouteAnswer {
  readonly text: string;
  readonly contentType: string;
}

/** More than any model reads, and what a few of them at once may take of memory. */
const MOST_ANSWER_BYTES = 4 * 1024 * 1024;

interface Refusal {
  readonly errorMessage: string;
  readonly code?: string;
  readonly details?: readonly ErrorDetail[];
}

export class RouteCalls {
  readonly #server: FastifyInstance;
  readonly #routes: ReadonlyMap<string, DeclaredRoute>;

  constructor(server: FastifyInstance, routes: readonly DeclaredRoute[]) {
    this.#server = server;
    this.#routes = new Map(routes.map((route) => [route.name, route]));
  }

  find(name: string): DeclaredRoute | undefined {
    return this.#routes.get(name);
  }

  require(name: string): DeclaredRoute {
    const route = this.#routes.get(name);
    if (!route) throw new Error(`No route is called ${name}`);
    return route;
  }

  /** The answer's JSON; undefined where there is none. Throws what the route refused. */
  async call<Answer>(scope: Scope, name: string, call: RouteCall = {}): Promise<Answer> {
    const { text } = await this.read(scope, name, call);
    if (text.length > LARGE_BYTES) await largeWork.take();
    return (text === '' ? undefined : JSON.parse(text)) as Answer;
  }

  /** The answer as it is: a stored file, say. */
  async read({ workspaceId, credential, request }: Scope, name: string, call: RouteCall): Promise<RouteAnswer> {
    const route = this.require(name);
    if (Number(request.headers['content-length'] ?? 0) > LARGE_BYTES) await largeWork.take();
    const answer = await this.#server.inject({
      method: route.method,
      url: urlOf(route, { workspaceId, ...call.params }, call.query),
      headers: {
        ...credential,
        'x-request-id': request.id,
        ...(call.body !== undefined && { 'content-type': 'application/json' }),
        ...call.headers,
      },
      remoteAddress: request.ip,
      ...(call.body !== undefined && { payload: JSON.stringify(call.body) }),
    });
    if (answer.statusCode >= 300) throw refusalOf(answer.payload, Number(answer.headers['retry-after'] ?? 0));
    // What was carried out is never told as a failure.
    const isRead = route.method === 'GET' || route.changesNothing;
    if (isRead && answer.rawPayload.length > MOST_ANSWER_BYTES) throw tooLarge(answer.rawPayload.length);
    return { text: answer.payload, contentType: String(answer.headers['content-type'] ?? '') };
  }
}

function urlOf({ path }: DeclaredRoute, params: Readonly<Record<string, string>>, query: RouteCall['query'] = {}): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString();
  return API_PREFIX + filled + (search && `?${search}`);
}

/** The failure as the route threw it. */
function refusalOf(payload: string, retryAfterSeconds: number): Error {
  const { errorMessage, code = 'internal', details } = JSON.parse(payload) as Refusal;
  if (code === 'internal') return new Error(errorMessage);
  return new AppError(code as ErrorCode, errorMessage, {
    ...(details && { details }),
    ...(retryAfterSeconds > 0 && { retryAfterSeconds }),
  });
}

function tooLarge(bytes: number): AppError {
  const megabytes = (bytes / 1_000_000).toFixed(1);
  return new AppError('bad_request', `The answer has ${megabytes} MB, which is too large to be handed on here. Ask for less at a time`);
}
