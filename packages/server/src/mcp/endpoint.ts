/** MCP over HTTP at /mcp: identified, charged and limited as every route is; refusals are JSON-RPC errors. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readVersion } from '../cli/version.ts';
import type { Context } from '../context.ts';
import { AppError, forbidden } from '../errors.ts';
import type { Api } from '../http/api.ts';
import { LARGEST_LIMIT_BYTES } from '../http/body-limits.ts';
import { failureOf } from '../http/failures.ts';
import { requirePlainBody } from '../http/json-body.ts';
import { LARGE_ANSWER_PLACES } from '../http/limits.ts';
import { runInLane } from '../lanes/current-lane.ts';
import { RouteCalls } from './route-calls.ts';
import { admit, type Scope } from './scope.ts';

const URL_PATH = '/mcp';

/** Codes of JSON-RPC; the last is the one that a server may give a meaning of its own. */
const rpcCodes = { parse: -32700, request: -32600, internal: -32603, server: -32000 } as const;

export function mcpEndpoint(server: FastifyInstance, api: Api, context: Context): void {
  const version = readVersion();
  const routes = new RouteCalls(server, api.routes);
  const allowedOrigins = new Set([new URL(context.config.publicUrl).origin, ...context.config.corsOrigins]);
  const scopes = new WeakMap<FastifyRequest, Scope>();
  const enter = api.limits.entry(`POST ${URL_PATH}`, LARGE_ANSWER_PLACES, 'mcp ');

  server.route({
    method: 'POST',
    url: URL_PATH,
    config: { chargesCaller: true },
    bodyLimit: LARGEST_LIMIT_BYTES,
    preParsing: requirePlainBody,
    errorHandler: sendRpcFailure,
    onRequest: [
      async (request, reply) => {
        scopes.set(request, await admit(api, context, request, reply));
        requireAllowedOrigin(request.headers.origin, allowedOrigins);
      },
      enter,
    ],
    handler: async (request, reply) => {
      const scope = scopes.get(request) as Scope;
      const { inFlight } = request;
      inFlight?.startHandling();
      try {
        return await runInLane(`workspace:${scope.workspaceId}`, () => serve(scope, request, reply), `POST ${URL_PATH}`);
      } finally {
        inFlight?.endHandling();
      }
    },
  });

  server.route({
    method: server.supportedMethods.filter((method) => method !== 'POST'),
    url: URL_PATH,
    errorHandler: sendRpcFailure,
    onRequest: async (request, reply) => {
      reply.header('allow', 'POST');
      throw new AppError(
        'method_not_allowed',
        `Method ${request.method} is not allowed here: this server keeps no sessions and no streams`,
      );
    },
    handler: () => undefined,
  });

  async function serve(scope: Scope, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    if (request.body === undefined) throw new AppError('bad_request', 'Body is required: a JSON-RPC message');
    // Loaded with the first message: who never uses MCP does not pay for it.
    const [{ exchange }, { createMcpServer }] = await Promise.all([import('./exchange.ts'), import('./server.ts')]);
    const isBatch = Array.isArray(request.body);
    const reach = { scope: isBatch ? { ...scope, idempotencyKey: undefined } : scope, routes, db: context.db };
    const { status, text } = await exchange(request.body, request.headers, () => createMcpServer(reach, version));
    reply.code(status);
    return text === '' ? reply.send() : reply.type('application/json; charset=utf-8').send(text);
  }
}

/** A page that a browser was tricked into taking for this host sends the Origin that it came from. Programs send none. */
function requireAllowedOrigin(origin: string | undefined, allowed: ReadonlySet<string>): void {
  if (origin === undefined || allowed.has(origin) || allowed.has('*')) return;
  throw forbidden('Pages of this origin may not call /mcp: COMMONPLACE_CORS_ORIGINS names those that may');
}

function sendRpcFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, body } = failureOf(error, request, reply);
  if (status === 401) reply.header('www-authenticate', 'Bearer realm="commonplace"');
  const data = { code: body.code, requestId: body.requestId };
  const answer = {
    jsonrpc: '2.0',
    id: null,
    error: { code: rpcCodeOf(status, body.errorMessage), message: hinted(status, body.errorMessage), data },
  };
  return reply.code(status).type('application/json; charset=utf-8').serializer(JSON.stringify).send(answer);
}

function rpcCodeOf(status: number, message: string): number {
  if (/^Body (is not valid JSON|must be valid UTF-8)/.test(message)) return rpcCodes.parse;
  if ([400, 413, 415].includes(status)) return rpcCodes.request;
  return status >= 500 ? rpcCodes.internal : rpcCodes.server;
}

function hinted(status: number, message: string): string {
  if (status === 401) return `${message} Send an access key in the header X-Access-Key, or as Authorization: Bearer`;
  if (status === 404) return `${message}: the header X-Workspace-Id names none that this key opens`;
  return message;
}
