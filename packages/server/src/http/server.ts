/** The Fastify server before any route: parsing, request ids, headers, failures. */
import type { ServerOptions } from 'node:http';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { Logger } from 'pino';
import { withoutSecrets } from '../auth/secrets.ts';
import type { Config } from '../config.ts';
import { newId } from '../db/ids.ts';
import { notFound } from '../errors.ts';
import { runInLane } from '../lanes/current-lane.ts';
import { LARGE_BYTES, largeWork } from '../lanes/loop-turns.ts';
import { SMALLEST_LIMIT_BYTES } from './body-limits.ts';
import { sendCommonHeaders } from './common-headers.ts';
import { rawFailure, sendFailure } from './failures.ts';
import { sendsStream } from './incoming-streams.ts';
import { parseJsonBody } from './json-body.ts';
import { laneOf } from './limits.ts';
import { createPipeliningServer } from './pipelining.ts';
import { followRequests } from './request-lifecycle.ts';
import { RequestLog } from './request-log.ts';
import { RequestMetrics } from './request-metrics.ts';
import { noSchemaCompilers } from './serializers.ts';
import { linger, settleBody, settleUnreadBodies } from './unread-bodies.ts';

const SANE_REQUEST_ID = /^[\w.:/+=-]{1,128}$/;

export async function createServer(config: Config, log: Logger): Promise<FastifyInstance> {
  const server = Fastify({
    // With a logger it would listen to the end of every answer; each request has its log from the factory below.
    logger: false,
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
    childLoggerFactory: (_none, bindings, options) => new RequestLog(log, bindings, options) as unknown as FastifyBaseLogger,
    genReqId: (request) => {
      const sent = request.headers['x-request-id'];
      return typeof sent === 'string' && SANE_REQUEST_ID.test(sent) ? sent : newId();
    },
    clientErrorHandler: (error, socket) => {
      if (error.code === 'ECONNRESET' || socket.destroyed) return;
      if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && sendsStream(socket)) return;
      socket.write(rawFailure(error));
      linger(socket);
    },
    frameworkErrors: (error, request, reply) => {
      server.commonHeaders.addTo(request, reply);
      settleBody(request, reply);
      return sendFailure(error, request, reply);
    },
  }) as unknown as FastifyInstance;

  followRequests(server, new RequestMetrics());
  sendCommonHeaders(server, config);
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
          'Last-Event-ID',
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
