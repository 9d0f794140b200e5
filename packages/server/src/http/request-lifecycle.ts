/** What is done once for every request: noted when it comes, counted when its answer is out. One hook and one listener for all of it. */
import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import type { InFlightRequest } from './in-flight.ts';
import type { RequestMetrics, RouteMetrics } from './request-metrics.ts';
import { isClosing } from './unread-bodies.ts';

declare module 'fastify' {
  interface FastifyRequest {
    arrivedMs: number;
    inFlight: InFlightRequest | undefined;
    /** Of its route, where that is known when it is declared. */
    metrics: RouteMetrics | undefined;
  }
  interface FastifyInstance {
    requestMetrics: RequestMetrics;
  }
}

const requestOf = Symbol('request');
type FollowedResponse = ServerResponse & { [requestOf]?: FastifyRequest };

export function followRequests(server: FastifyInstance, metrics: RequestMetrics): void {
  server.decorate('requestMetrics', metrics);
  server.decorateRequest('arrivedMs', 0);
  server.decorateRequest('inFlight', undefined);
  server.decorateRequest('metrics', undefined);
  server.addHook('onRequest', (request, reply, done) => {
    request.arrivedMs = performance.now();
    const response: FollowedResponse = reply.raw;
    response[requestOf] = request;
    response.on('close', finishRequest);
    if (request.raw.headers.host === undefined && request.raw.httpVersion === '1.1')
      done(new AppError('bad_request', 'The Host header is required'));
    else if (isClosing(request)) done(new AppError('unavailable', 'The connection is closing'));
    else done();
  });
}

/** After an answer, and after a caller that hung up: of those only the first is counted. */
function finishRequest(this: FollowedResponse): void {
  const request = this[requestOf] as FastifyRequest;
  request.inFlight?.close();
  if (!this.writableEnded) return;
  const metrics = request.metrics ?? request.server.requestMetrics.of(request.method, request.routeOptions.url ?? 'unknown');
  metrics.count(this.statusCode, (performance.now() - request.arrivedMs) / 1000);
}
