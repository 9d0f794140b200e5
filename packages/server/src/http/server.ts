/** The Fastify server before any route: parsing, request ids, headers, failures. */
import type { ServerOptions } from 'node:http';
import cookie from '@fastify/cookie';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyServerOptions, LogController } from 'fastify';
import type { Logger } from 'pino';
import { withoutSecrets } from '../auth/secrets.ts';
import type { Config } from '../config.ts';
import { newId } from '../db/ids.ts';
import { AppError, notFound } from '../errors.ts';
import { runInLane } from '../lanes/current-lane.ts';
import { LARGE_BYTES, largeWork } from '../lanes/loop-turns.ts';
import { SMALLEST_LIMIT_BYTES } from './body-limits.ts';
import { rawFailure, sendFailure } from './failures.ts';
import { parseJsonBody, requirePlainBody } from './json-body.ts';
import { laneOf } from './limits.ts';
import { createPipeliningServer } from './pipelining.ts';
import { RequestLog } from './request-log.ts';
import { noSchemaCompilers } from './serializers.ts';
import { linger, settleBody, settleUnreadBodies } from './unread-bodies.ts';

const SANE_REQUEST_ID = /^[\w.:/+=-]{1,128}$/;

export async function createServer(config: Config, log: Logger): Promise<FastifyInstance> {
  const server = Fastify({
    loggerInstance: log as unknown as NonNullable<FastifyServerOptions['loggerInstance']>,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    schemaController: { compilersFactory: noSchemaCompilers },
    bodyLimit: SMALLEST_LIMIT_BYTES,
    requestTimeout: 60_000,
    // Of a socket on which nothing moves: an answer that nobody reads is not kept for ever. No request takes as long.
    connectionTimeout: 120_000,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    trustProxy: config.trustedProxies.length > 0 ? [...config.trustedProxies] : false,
    routerOptions: { maxParamLength: 2000 },
    // Node would answer that itself, and with no body; the hook below says it as every failure is said.
    http: { requireHostHeader: false },
    serverFactory: (handle, { http, keepAliveTimeout, requestTimeout }) =>
      createPipeliningServer({ ...(http as ServerOptions), keepAliveTimeout, requestTimeout } as ServerOptions, handle),
    requestIdHeader: false,
    childLoggerFactory: (logger, bindings, options) => new RequestLog(logger, bindings, options) as unknown as FastifyBaseLogger,
    genReqId: (request) => {
      const sent = request.headers['x-request-id'];
      return typeof sent === 'string' && SANE_REQUEST_ID.test(sent) ? sent : newId();
    },
    clientErrorHandler: (error, socket) => {
      if (error.code === 'ECONNRESET' || socket.destroyed) return;
      socket.write(rawFailure(error));
      linger(socket);
    },
    frameworkErrors: (error, request, reply) => {
      reply.headers(commonHeaders(config)).header('x-request-id', request.id);
      settleBody(request, reply);
      return sendFailure(error, request, reply);
    },
  }) as unknown as FastifyInstance;

  const headers = commonHeaders(config);
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers(headers).header('x-request-id', request.id);
    const lacksHost = request.headers.host === undefined && request.raw.httpVersion === '1.1';
    done(lacksHost ? new AppError('bad_request', 'The Host header is required') : undefined);
  });
  settleUnreadBodies(server);
  // An expectation that is not known is no reason to refuse; left to Node, it is an answer with no body.
  server.server.on('checkExpectation', (request, response) => server.server.emit('request', request, response));
  if (log.isLevelEnabled('debug'))
    server.addHook('onResponse', (request, reply, done) => {
      // The path alone: a query may hold what a person searched for.
      const path = withoutSecrets(request.url.split('?', 1)[0] as string);
      request.log.debug({ method: request.method, path, status: reply.statusCode, ms: reply.elapsedTime }, 'answered');
      done();
    });
  server.removeContentTypeParser('text/plain');
  server.addHook('preParsing', requirePlainBody);
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const parse = () => {
      const startMs = performance.now();
      parseJsonBody(request, body as Buffer, (error, parsed) => {
        request.inFlight?.noteSection(startMs);
        done(error, parsed);
      });
    };
    if (body.length <= LARGE_BYTES) parse();
    else void runInLane(laneOf(request), () => largeWork.take()).then(parse);
  });
  server.setErrorHandler(sendFailure);
  server.setNotFoundHandler((_request) => {
    throw notFound('Route');
  });
  // Few requests carry a cookie; whoever needs it parses it.
  await server.register(cookie, { hook: false });
  if (config.corsOrigins.length > 0) {
    await server.register(import('@fastify/cors'), {
      origin: config.corsOrigins.includes('*') ? '*' : [...config.corsOrigins],
      allowedHeaders: [
        ...[
          'Content-Type',
          'X-API-Key',
          'X-Access-Key',
          'X-Request-Id',
          'X-Commonplace-Client',
          'Idempotency-Key',
          'If-None-Match',
          'Prefer',
        ],
        // Of /mcp.
        ...[
          'Authorization',
          'X-Workspace-Id',
          'X-Agent-Id',
          'X-Session-Id',
          'X-Session-Labels',
          'MCP-Protocol-Version',
          'Mcp-Method',
          'Mcp-Name',
        ],
      ],
      exposedHeaders: [
        'X-Request-Id',
        'ETag',
        'Retry-After',
        'RateLimit-Limit',
        'RateLimit-Remaining',
        'RateLimit-Reset',
        'Idempotency-Replayed',
      ],
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
      maxAge: 600,
    });
  }
  return server;
}

function commonHeaders(config: Config): Record<string, string> {
  return {
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    ...(config.publicUrl.startsWith('https:') && { 'strict-transport-security': 'max-age=31536000' }),
  };
}
