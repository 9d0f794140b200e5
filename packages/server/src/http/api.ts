/** Puts declared routes on the server: identify, check access, validate, handle, serialize; the same way for all. */

import type { IncomingHttpHeaders } from 'node:http';
import type { Role } from '@commonplace/contract/permissions';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { type Access, readableParts, requireAccess, requireSameOrigin } from '../auth/access.ts';
import { COOKIE_NAME, type Identity } from '../auth/callers.ts';
import type { Context } from '../context.ts';
import { isId } from '../db/ids.ts';
import { AppError, notFound } from '../errors.ts';
import { bodyLimitOf, LARGEST_LIMIT_BYTES, largestJsonBytes } from './body-limits.ts';
import { readCookie } from './cookies.ts';
import { requireType } from './incoming-streams.ts';
import { requirePlainBody } from './json-body.ts';
import { bucketOf, bucketOfAddress, costOf, entersBeforeBody, Limits } from './limits.ts';
import { normalizeIds, type Params } from './params.ts';
import { type DeclaredRoute, mayStore, type Route } from './route.ts';
import { serverOf } from './serving.ts';
import type { Storing } from './storing.ts';
import { requireForm } from './upload.ts';

declare module 'fastify' {
  interface FastifyRequest {
    identity: Identity | undefined;
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

/** The parts of the server that take bodies other than JSON. */
export interface ServerParts {
  readonly uploads: FastifyInstance;
  readonly streams: FastifyInstance;
}

export class Api {
  readonly routes: DeclaredRoute[] = [];
  /** What each group of operations is about, for the documentation. */
  readonly tags = new Map<string, string>();
  readonly limits: Limits;
  readonly #server: FastifyInstance;
  readonly #parts: ServerParts;
  readonly #context: Context;
  readonly #publicOrigin: string;

  constructor(server: FastifyInstance, parts: ServerParts, context: Context) {
    this.#server = server;
    this.#parts = parts;
    this.#context = context;
    this.limits = new Limits(context.config, context.clock);
    this.#publicOrigin = new URL(context.config.publicUrl).origin;
    server.decorateRequest('identity', undefined);
    server.decorateRequest('rateLimit', undefined);
    server.decorateRequest('storing', undefined);
    server.decorateRequest('readableParts', undefined);
    this.#chargeUndeclared();
  }

  route<
    const Path extends string,
    const A extends Access,
    Query extends z.ZodType | undefined = undefined,
    Body extends z.ZodType | undefined = undefined,
    Answer extends z.ZodType | undefined = undefined,
    Prepared = undefined,
  >(declaration: Route<Path, A, Query, Body, Answer, Prepared>): void {
    const { name, query, body, upload, receives } = declaration as unknown as DeclaredRoute;
    try {
      if (query) largestJsonBytes(query);
      this.#register({
        ...(declaration as unknown as DeclaredRoute),
        bodyLimitBytes: receives ? LARGEST_LIMIT_BYTES : bodyLimitOf({ ...(body && { body }), ...(upload && { upload }) }),
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

  /** What is not declared (metrics, the reference, paths that are not there) is charged to the address. */
  #chargeUndeclared(): void {
    const charge = (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void) => {
      try {
        this.limits.charge(request, bucketOfAddress(request), 1);
        done();
      } catch (error) {
        done(error as Error);
      }
    };
    this.#server.addHook('onRoute', (options) => {
      const { route, chargesCaller } = options.config ?? {};
      if (route === undefined && !chargesCaller) options.onRequest = [charge, options.onRequest ?? []].flat();
    });
    this.#server.addHook('onRequest', (request, reply, done) => (request.is404 ? charge(request, reply, done) : done()));
  }

  #register(route: DeclaredRoute): void {
    this.routes.push(route);
    const { upload, receives } = route;
    const server = upload ? this.#parts.uploads : receives ? this.#parts.streams : this.#server;
    const requireOwnType = upload ? [requireForm] : receives ? [requireType(receives)] : [];
    server.route({
      method: route.method,
      url: API_PREFIX + route.path,
      config: { route },
      bodyLimit: route.bodyLimitBytes,
      ...(route.method !== 'GET' && { preParsing: [requirePlainBody, ...requireOwnType] }),
      onRequest: this.#gate(route),
      ...(!entersBeforeBody(route) && !route.isHealth && { preHandler: this.limits.entryOf(route, API_PREFIX) }),
      handler: serverOf(route, this.#context),
    });
  }

  /** Everything that can refuse a request before its body is read. Takes no promise where all is known already. */
  #gate(route: DeclaredRoute) {
    const cost = costOf(route);
    const pattern = API_PREFIX + route.path;
    const metrics = this.#server.requestMetrics.of(route.method, pattern);
    const enter = entersBeforeBody(route)
      ? this.limits.entryOf(route, API_PREFIX)
      : (_request: FastifyRequest, _reply: FastifyReply, done: () => void) => done();
    const admit = (request: FastifyRequest, identity: Identity, role: Role | undefined) => {
      const params = request.params as Params;
      request.identity = identity;
      requireAccess(route.access, identity.caller, params, role);
      if (route.access.parts) request.readableParts = readableParts(route.access, identity.caller, role);
      if (params.workspaceId === undefined) return;
      this.#context.quotas.chargeRequest(params.workspaceId, request);
      this.#context.usage.countCall(params.workspaceId, identity.caller);
    };
    const withIdentity = (request: FastifyRequest, identity: Identity) => {
      const { caller } = identity;
      this.limits.charge(request, bucketOf(caller), cost);
      if (caller.type === 'user' && caller.via === 'cookie' && request.method !== 'GET' && request.method !== 'HEAD') {
        requireSameOrigin(request.headers, this.#publicOrigin);
      }
      const { workspaceId } = request.params as Params;
      if (workspaceId !== undefined && !isId(workspaceId)) throw notFound('Workspace');
      if (caller.type !== 'user' || workspaceId === undefined) return admit(request, identity, undefined);
      const role = this.#context.callers.roleOf(identity, caller.userId, workspaceId);
      return role instanceof Promise ? role.then((found) => admit(request, identity, found)) : admit(request, identity, role);
    };
    return (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
      request.metrics = request.method === 'HEAD' ? this.#server.requestMetrics.of('HEAD', pattern) : metrics;
      try {
        normalizeIds(request.params as Params);
        if (route.access.who === 'public') {
          if (!route.isHealth) this.limits.charge(request, bucketOfAddress(request), cost);
          enter(request, reply, done);
          return;
        }
        const cookie = readCookie(request.headers.cookie, COOKIE_NAME);
        const identity = this.identify(request, request.headers, cookie);
        const admitted =
          identity instanceof Promise ? identity.then((found) => withIdentity(request, found)) : withIdentity(request, identity);
        if (admitted instanceof Promise) admitted.then(() => enter(request, reply, done)).catch(done);
        else enter(request, reply, done);
      } catch (error) {
        done(error as Error);
      }
    };
  }

  /** Who presents these headers. A credential that is refused is charged to the address. */
  identify(request: FastifyRequest, headers: IncomingHttpHeaders, cookie?: string): Identity | Promise<Identity> {
    const limited = (error: unknown): never => {
      if (error instanceof AppError && error.code === 'unauthenticated') this.limits.charge(request, bucketOfAddress(request), 1);
      throw error;
    };
    try {
      const identity = this.#context.callers.identify(headers, cookie);
      return identity instanceof Promise ? identity.catch(limited) : identity;
    } catch (error) {
      return limited(error);
    }
  }
}
