/** What each caller may have: requests a second, requests at once. By who calls, never by key: another key gives nobody more. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../auth/callers.ts';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import { AppError } from '../errors.ts';
import { addressBucket } from './addresses.ts';
import { SMALLEST_LIMIT_BYTES } from './body-limits.ts';
import { RequestsInFlight } from './in-flight.ts';
import { type RateLimit, RateLimiter } from './rate-limit.ts';
import { type DeclaredRoute, StoredFile, StreamedLines } from './route.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What its caller has left, for the headers of its answer. */
    rateLimit: RateLimit | undefined;
  }
}

export class Limits {
  readonly inFlight = new RequestsInFlight();
  readonly #clock: Clock;
  readonly #limiter: RateLimiter | undefined;
  readonly #countsCost: boolean;
  #refusedByRate = 0;

  constructor({ rateLimit }: Pick<Config, 'rateLimit'>, clock: Clock) {
    this.#clock = clock;
    this.#limiter = rateLimit && new RateLimiter({ perSecond: rateLimit.perSecond, burst: rateLimit.perSecond });
    this.#countsCost = rateLimit?.countsCost ?? false;
  }

  /** Throws where the caller has spent what it has. */
  charge(request: FastifyRequest, caller: string, cost: number): void {
    if (!this.#limiter) return;
    const verdict = this.#limiter.take(caller, this.#clock.monotonicMs(), this.#countsCost ? cost : 1);
    request.rateLimit = verdict;
    if (verdict.allowed) return;
    this.#refusedByRate++;
    throw new AppError('too_many_requests', 'Too many requests', { retryAfterSeconds: verdict.retryAfterSeconds });
  }

  /** A hook that takes a place among the requests in flight, now or in its turn. */
  entryOf(route: DeclaredRoute, prefix: string) {
    return this.entry(`${route.method} ${prefix}${route.path}`, placesOf(route));
  }

  /** What makes requests of its own for its caller has a `room` of its own: in one with them it could hold the place that they wait for. */
  entry(name: string, places: number, room = '') {
    return (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
      // Whoever hung up meanwhile: nothing would tell that their place is free again.
      if (reply.raw.destroyed) return;
      try {
        // Also while it waits: who hangs up then leaves.
        request.inFlight = this.inFlight.enter({
          caller: room + (request.identity ? bucketOf(request.identity.caller) : bucketOfAddress(request)),
          route: name,
          bodyBytes: bodyBytesOf(request),
          places,
          begin: (inFlight) => {
            request.inFlight = inFlight;
            done();
          },
        });
      } catch (error) {
        done(error as Error);
      }
    };
  }

  gauges(): Record<string, number> {
    return this.inFlight.gauges();
  }

  refused(): Record<string, number> {
    return { rate: this.#refusedByRate, in_flight: this.inFlight.refusedTotal };
  }
}

/** A user, with whatever key or cookie; a workspace, for all of its access keys. */
export function bucketOf(caller: Caller): string {
  return caller.type === 'user' ? `user:${caller.userId}` : `workspace:${caller.workspaceId}`;
}

/** By workspace where there is one, so that its members and programs together have no more than another's. */
export function laneOf(request: FastifyRequest): string {
  const { workspaceId } = request.params as { readonly workspaceId?: string };
  if (workspaceId !== undefined) return `workspace:${workspaceId}`;
  return request.identity ? bucketOf(request.identity.caller) : bucketOfAddress(request);
}

export function bucketOfAddress(request: FastifyRequest): string {
  return `address:${addressBucket(request.ip)}`;
}

/** What a request may bring, as far as its headers tell. */
function bodyBytesOf(request: FastifyRequest): number {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  const { bodyLimit = 0, config } = request.routeOptions;
  // Of a stream no more is held, however long it is.
  if (length !== undefined) return config.route?.receives ? Math.min(Number(length), bodyLimit) : Number(length);
  return encoding === undefined ? 0 : bodyLimit;
}

const PAGE_COST = 5;
const WRITE_COST = 2;
const EXPENSIVE_COST = 100;

/**
 * What a request takes of its caller's rate, by what its route declares. One is a read by key, about 25 µs of a processor;
 * uploads, searches and whatever needs preparing, such as passwords, are milliseconds.
 */
export function costOf({ method, query, upload, receives, changesNothing, isExpensive, prepare }: DeclaredRoute): number {
  if (upload || receives || changesNothing || isExpensive || prepare) return EXPENSIVE_COST;
  if (method !== 'GET') return WRITE_COST;
  return query ? PAGE_COST : 1;
}

/** What answers can be 8 MB, and are held until they are read: as many places as keep a caller's answers within some hundred megabytes. */
export const LARGE_ANSWER_PLACES = 16;

function placesOf({ method, query, answers, receives, changesNothing, isExpensive }: DeclaredRoute): number {
  const isBytes = answers.body === StoredFile || answers.body === StreamedLines;
  const canBeLarge = (method === 'GET' && query !== undefined) || changesNothing || isExpensive || isBytes || receives;
  return canBeLarge ? LARGE_ANSWER_PLACES : 1;
}

/** A small body is waited for without a place: whoever never sends it keeps nobody else out. */
export function entersBeforeBody({ bodyLimitBytes }: DeclaredRoute): boolean {
  return bodyLimitBytes > SMALLEST_LIMIT_BYTES;
}
