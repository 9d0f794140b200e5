/** Puts declared routes on the server: identify, check access, validate, handle, serialize; the same way for all. */

import type { IncomingHttpHeaders } from 'node:http';
import type { Role } from '@commonplace/contract/permissions';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { type Access, limitOf, readableParts, requireAccess, requireSameOrigin, requireWithinLimit } from '../auth/access.ts';
import { COOKIE_NAME, type Identity } from '../auth/callers.ts';
import type { Context } from '../context.ts';
import type { Transactable } from '../db/database.ts';
import { isId } from '../db/ids.ts';
import { AppError, notFound } from '../errors.ts';
import { runInLane } from '../lanes/current-lane.ts';
import { LARGE_BYTES, largeWork } from '../lanes/loop-turns.ts';
import { actorOf, scopeOf } from './actors.ts';
import { send, sendFile, serialize } from './answering.ts';
import { bodyLimitOf, largestJsonBytes } from './body-limits.ts';
import { type KeptAnswer, once, readClaim } from './idempotency.ts';
import type { InFlightRequest } from './in-flight.ts';
import { bucketOf, bucketOfAddress, costOf, entersBeforeBody, Limits, laneOf } from './limits.ts';
import { normalizeIds, type Params, requirePlausible } from './params.ts';
import { type DeclaredRoute, type FileAnswer, mayStore, type Route, StoredFile, takesIdempotencyKey } from './route.ts';
import { type Storing, storingOf } from './storing.ts';
import { readUpload, requireForm, type Upload } from './upload.ts';
import { validate } from './validation.ts';

declare module 'fastify' {
  interface FastifyRequest {
    identity: Identity | undefined;
    inFlight: InFlightRequest | undefined;
    /** Where what it stores is limited. */
    storing: Storing | undefined;
    /** Those of the answer that the caller may read, where the route declares parts. */
    readableParts: readonly string[] | undefined;
  }
  interface FastifyContextConfig {
    route?: DeclaredRoute;
    /** An endpoint with a protocol of its own, which charges its callers by itself. */
    chargesCaller?: true;
  }
}

export const API_PREFIX = '/api/v1';

export class Api {
  readonly routes: DeclaredRoute[] = [];
  /** What each group of operations is about, for the documentation. */
  readonly tags = new Map<string, string>();
  readonly limits: Limits;
  readonly #server: FastifyInstance;
  readonly #context: Context;
  readonly #publicOrigin: string;

  constructor(server: FastifyInstance, context: Context) {
    this.#server = server;
    this.#context = context;
    this.limits = new Limits(context.config, context.clock);
    this.#publicOrigin = new URL(context.config.publicUrl).origin;
    server.decorateRequest('identity', undefined);
    server.decorateRequest('inFlight', undefined);
    server.decorateRequest('storing', undefined);
    server.decorateRequest('readableParts', undefined);
    // What is not declared (metrics, the reference, paths that are not there) is charged to the address.
    server.addHook('onRequest', (request, reply, done) => {
      const { route, chargesCaller } = request.routeOptions.config ?? {};
      if (route !== undefined || chargesCaller) return done();
      try {
        this.limits.charge(reply, bucketOfAddress(request), 1);
        done();
      } catch (error) {
        done(error as Error);
      }
    });
  }

  route<
    const Path extends string,
    const A extends Access,
    Query extends z.ZodType | undefined = undefined,
    Body extends z.ZodType | undefined = undefined,
    Answer extends z.ZodType | undefined = undefined,
    Prepared = undefined,
  >(declaration: Route<Path, A, Query, Body, Answer, Prepared>): void {
    const { name, query, body, upload } = declaration as unknown as DeclaredRoute;
    try {
      if (query) largestJsonBytes(query);
      this.#register({
        ...(declaration as unknown as DeclaredRoute),
        bodyLimitBytes: bodyLimitOf({ ...(body && { body }), ...(upload && { upload }) }),
      });
      if (mayStore(declaration) && declaration.stores === undefined) throw new Error('It has to declare what it stores');
    } catch (error) {
      throw new Error(`The route ${name} can’t be declared`, { cause: error });
    }
  }

  /** Runs when the server closes, after the last request. */
  onClose(close: () => Promise<void>): void {
    this.#server.addHook('onClose', close);
  }

  tag(name: string, description: string): void {
    this.tags.set(name, description);
  }

  /** Answers 405 wherever a path is known and the method is not. Call it when all routes are declared. */
  refuseOtherMethods(): void {
    const methodsByPath = new Map<string, Set<string>>();
    for (const { path, method } of this.routes) {
      // Two routes that differ only in the names of their parameters are one path.
      const shape = path.replace(/:\w+/g, ':param');
      const methods = methodsByPath.get(shape) ?? new Set();
      methodsByPath.set(shape, methods.add(method));
      if (method === 'GET') methods.add('HEAD');
    }
    for (const [path, methods] of methodsByPath) {
      const allow = [...methods].join(', ');
      this.#server.route({
        method: this.#server.supportedMethods.filter((method) => !methods.has(method)),
        url: API_PREFIX + path,
        // Before the body is read: what is not allowed is not looked at.
        onRequest: async (request, reply) => {
          // A trailing slash reads as a parameter with nothing in it.
          if (Object.values(request.params as Params).includes('')) throw notFound('Route');
          reply.header('allow', allow);
          throw new AppError('method_not_allowed', `Method ${request.method} is not allowed here; allowed: ${allow}`);
        },
        handler: () => undefined,
      });
    }
  }

  #register(route: DeclaredRoute): void {
    this.routes.push(route);
    this.#server.route({
      method: route.method,
      url: API_PREFIX + route.path,
      config: { route },
      bodyLimit: route.bodyLimitBytes,
      ...(route.upload && { preParsing: requireForm }),
      onRequest: this.#gate(route),
      ...(!entersBeforeBody(route) && !route.isHealth && { preHandler: this.limits.entryOf(route, API_PREFIX) }),
      handler: (request, reply) => this.#serveInLane(route, request, reply),
    });
  }

  /** Everything that can refuse a request before its body is read. Takes no promise where all is known already. */
  #gate(route: DeclaredRoute) {
    const cost = costOf(route);
    const enter = entersBeforeBody(route)
      ? this.limits.entryOf(route, API_PREFIX)
      : (_request: FastifyRequest, _reply: FastifyReply, done: () => void) => done();
    const admit = (request: FastifyRequest, reply: FastifyReply, identity: Identity, role: Role | undefined) => {
      const params = request.params as Params;
      request.identity = identity;
      requireAccess(route.access, identity.caller, params, role);
      if (route.access.parts) request.readableParts = readableParts(route.access, identity.caller, role);
      if (params.workspaceId === undefined) return;
      this.#context.quotas.chargeRequest(params.workspaceId, (name, value) => reply.header(name, value));
      this.#context.usage.countCall(params.workspaceId, identity.caller);
    };
    const withIdentity = (request: FastifyRequest, reply: FastifyReply, identity: Identity) => {
      const { caller } = identity;
      this.limits.charge(reply, bucketOf(caller), cost);
      if (caller.type === 'user' && caller.via === 'cookie' && request.method !== 'GET' && request.method !== 'HEAD') {
        requireSameOrigin(request.headers, this.#publicOrigin);
      }
      const { workspaceId } = request.params as Params;
      if (workspaceId !== undefined && !isId(workspaceId)) throw notFound('Workspace');
      if (caller.type !== 'user' || workspaceId === undefined) return admit(request, reply, identity, undefined);
      const role = this.#context.callers.roleOf(identity, caller.userId, workspaceId);
      return role instanceof Promise ? role.then((found) => admit(request, reply, identity, found)) : admit(request, reply, identity, role);
    };
    return (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
      try {
        normalizeIds(request.params as Params);
        if (route.access.who === 'public') {
          if (!route.isHealth) this.limits.charge(reply, bucketOfAddress(request), cost);
          enter(request, reply, done);
          return;
        }
        const cookie = request.headers.cookie === undefined ? undefined : this.#server.parseCookie(request.headers.cookie)[COOKIE_NAME];
        const identity = this.identify(request, reply, request.headers, cookie);
        const admitted =
          identity instanceof Promise
            ? identity.then((found) => withIdentity(request, reply, found))
            : withIdentity(request, reply, identity);
        if (admitted instanceof Promise) admitted.then(() => enter(request, reply, done)).catch(done);
        else enter(request, reply, done);
      } catch (error) {
        done(error as Error);
      }
    };
  }

  /** Who presents these headers. A credential that is refused is charged to the address. */
  identify(request: FastifyRequest, reply: FastifyReply, headers: IncomingHttpHeaders, cookie?: string): Identity | Promise<Identity> {
    const limited = (error: unknown): never => {
      if (error instanceof AppError && error.code === 'unauthenticated') this.limits.charge(reply, bucketOfAddress(request), 1);
      throw error;
    };
    try {
      const identity = this.#context.callers.identify(headers, cookie);
      return identity instanceof Promise ? identity.catch(limited) : identity;
    } catch (error) {
      return limited(error);
    }
  }

  async #serveInLane(route: DeclaredRoute, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { inFlight } = request;
    inFlight?.startHandling();
    try {
      return await runInLane(laneOf(request), () => this.#serve(route, request, reply), `${route.method} ${route.path}`);
    } finally {
      inFlight?.endHandling();
      request.storing?.end();
    }
  }

  async #serve(route: DeclaredRoute, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    if (!route.upload && request.isMultipart()) throw new AppError('unsupported_media_type', 'Content-Type must be application/json');
    const { inFlight } = request;
    const isLarge = (inFlight?.bodyBytes ?? 0) > LARGE_BYTES;
    // Reading it had a turn of the event loop for itself, and checking it has the next.
    if (isLarge) await largeWork.take();
    const startMs = performance.now();
    const nowMs = this.#context.clock.nowMs();
    const caller = request.identity?.caller;
    const limit = limitOf(caller);
    let { status } = route.answers;
    const call = {
      params: request.params,
      query: route.query && validate(route.query, request.query),
      body: route.body && validate(route.body, request.body),
      caller,
      by: caller && actorOf(caller, request),
      agentIds: limit && [...limit],
      parts: request.readableParts ?? [],
      nowMs,
      request,
      reply,
      answerWith: (other: number) => {
        status = other;
      },
      prepared: undefined as unknown,
      upload: undefined as Upload | undefined,
      db: this.#context.db as unknown,
    };
    if (route.upload) call.upload = await readUpload(request, route.upload);
    requirePlausible(route, request.params as Params);
    requireWithinLimit(caller, request.params as Params);
    const claim = takesIdempotencyKey(route) ? readClaim(request, scopeOf(caller, request), call.upload) : undefined;
    if (route.prepare) call.prepared = await route.prepare(call);
    // What holds the event loop is timed: the watchdog names who it was.
    const hasWaited = route.upload !== undefined || route.prepare !== undefined;
    const timed = <T>(section: () => T, sectionMs = performance.now()): T => {
      const result = section();
      inFlight?.noteSection(sectionMs);
      return result;
    };
    const write = (answer: unknown) => timed(() => serialize(route, answer));
    const { workspaceId } = request.params as Params;
    const storing = storingOf(this.#context.quotas, workspaceId, route, call);
    request.storing = storing;
    let kept: KeptAnswer & { replayed: boolean };
    if (claim) {
      const work = async (db: Transactable) => {
        const answer = await timed(() => route.handle({ ...call, db }));
        return { answer: { status, payload: write(answer) }, made: route.made?.(answer) };
      };
      kept = await once(this.#context.db, claim, nowMs, work, storing && (() => storing.begin()));
      if (kept.replayed) reply.header('idempotency-replayed', 'true');
    } else {
      if (storing) await storing.begin();
      const answer = await timed(() => route.handle(call), hasWaited ? undefined : startMs);
      if (route.answers.body === StoredFile) return sendFile(request, reply, answer as FileAnswer);
      // What was sent is most often what is answered. Not inside the transaction of a key, which others wait for.
      if (isLarge) await largeWork.take();
      kept = { status, payload: write(answer), replayed: false };
      if (route.isSearch && workspaceId !== undefined) this.#context.usage.countSearch(workspaceId, performance.now() - startMs);
    }
    if (!kept.replayed) storing?.keep();
    return reply.sent ? reply : send(route, request, reply.code(kept.status), kept.payload);
  }
}
