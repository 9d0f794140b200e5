/** What each caller may have: requests a second, requests at once. By who calls, never by key: another key gives nobody more. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../auth/callers.ts';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import { AppError } from '../errors.ts';
import { addressBucket } from './addresses.ts';
import { RequestsInFlight } from './in-flight.ts';
import { RateLimiter } from './rate-limit.ts';
import type { DeclaredRoute } from './route.ts';

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
  charge(reply: FastifyReply, caller: string, cost: number): void {
    if (!this.#limiter) return;
    const verdict = this.#limiter.take(caller, this.#clock.monotonicMs(), this.#countsCost ? cost : 1);
    reply.headers({
      'ratelimit-limit': String(verdict.limit),
      'ratelimit-remaining': String(verdict.remaining),
      'ratelimit-reset': String(verdict.resetSeconds),
    });
    if (verdict.allowed) return;
    this.#refusedByRate++;
    throw new AppError('too_many_requests', 'Too many requests', { retryAfterSeconds: verdict.retryAfterSeconds });
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

export function bucketOfAddress(request: FastifyRequest): string {
  return `address:${addressBucket(request.ip)}`;
}

/** What a request may bring, as far as its headers tell. */
export function bodyBytesOf(request: FastifyRequest): number {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (length !== undefined) return Number(length);
  return encoding === undefined ? 0 : (request.routeOptions.bodyLimit ?? 0);
}

const PAGE_COST = 5;
const WRITE_COST = 2;
const EXPENSIVE_COST = 100;

/**
 * What a request takes of its caller's rate, by what its route declares. One is a read by key, about 25 µs of a processor;
 * uploads, searches and whatever needs preparing, such as passwords, are milliseconds.
 */
export function costOf({ method, query, upload, changesNothing, isExpensive, prepare }: DeclaredRoute): number {
  if (upload || changesNothing || isExpensive || prepare) return EXPENSIVE_COST;
  if (method !== 'GET') return WRITE_COST;
  return query ? PAGE_COST : 1;
}
