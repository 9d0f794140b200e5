/** Headers of every answer, whoever gives it. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';

declare module 'fastify' {
  interface FastifyInstance {
    commonHeaders: CommonHeaders;
  }
}

export class CommonHeaders {
  readonly #byName: Readonly<Record<string, string>>;
  /** Name, value, name, value: the form in which Node writes them fastest. */
  readonly #flat: readonly string[];

  constructor({ publicUrl }: Pick<Config, 'publicUrl'>) {
    this.#byName = {
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      ...(publicUrl.startsWith('https:') && { 'strict-transport-security': 'max-age=31536000' }),
    };
    const { 'cache-control': _, ...lasting } = this.#byName;
    this.#flat = Object.entries(lasting).flat();
  }

  /** To an answer that the framework writes; what it says of itself stays. */
  addTo(request: FastifyRequest, reply: FastifyReply): void {
    for (const name in this.#byName) if (!reply.hasHeader(name)) reply.header(name, this.#byName[name]);
    reply.header('x-request-id', request.id);
    const { rateLimit } = request;
    if (!rateLimit) return;
    reply.header('ratelimit-limit', String(rateLimit.limit));
    reply.header('ratelimit-remaining', String(rateLimit.remaining));
    reply.header('ratelimit-reset', String(rateLimit.resetSeconds));
  }

  /** Of an answer that is written directly: these, and those that were set on the reply. */
  flatFor(request: FastifyRequest, reply: FastifyReply, cacheControl: string): string[] {
    const flat = this.#flat.slice();
    flat.push('x-request-id', request.id, 'cache-control', cacheControl);
    const { rateLimit } = request;
    if (rateLimit) {
      const { limit, remaining, resetSeconds } = rateLimit;
      flat.push('ratelimit-limit', String(limit), 'ratelimit-remaining', String(remaining), 'ratelimit-reset', String(resetSeconds));
    }
    const set = reply.getHeaders();
    for (const name in set) {
      const value = set[name];
      if (name in this.#byName) throw new Error(`${name} is a header of every answer; a route does not set it`);
      if (Array.isArray(value)) for (const one of value) flat.push(name, one);
      else flat.push(name, String(value));
    }
    return flat;
  }
}

/** What the framework sends gets them last, so that a failure has them too. */
export function sendCommonHeaders(server: FastifyInstance, config: Pick<Config, 'publicUrl'>): void {
  const headers = new CommonHeaders(config);
  server.decorate('commonHeaders', headers);
  server.addHook('onSend', (request, reply, payload, done) => {
    headers.addTo(request, reply);
    done(null, payload);
  });
}
