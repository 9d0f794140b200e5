/** The bad requests of a run: the n-th one is the same for the same seed. */
import fc from 'fast-check';
import { type BadRequest, badRequestTo, brokenHttp, bytesOf, targetOf } from '../../packages/server/test/matrix-bad-requests.ts';
import { titleOf } from '../../packages/server/test/matrix-paths.ts';
import type { Sending } from './connection.ts';
import type { PublishedRoute } from './openapi.ts';
import { pick, type Random, randomOf, wholeNumber } from './random.ts';
import type { Scene } from './scene.ts';

/** Requests that are generated together; all for one route. */
export const BATCH = 40;
/** One batch in so many is no HTTP, or hardly. */
const BROKEN_EVERY = 24;
/** One deletion in so many is meant: each costs a new scene. */
const DELETED_EVERY = 10;

const manners = [
  ...Array<'whole'>(12).fill('whole'),
  'in pieces',
  'chunked',
  'with others',
  'cut off',
  'by another method',
  'to another path',
] as const;
const otherMethods = ['HEAD', 'OPTIONS', 'PATCH', 'TRACE', 'PROPFIND', 'QUERY', 'GET', 'POST', 'PUT', 'DELETE'];
const strayPaths = ['/', '//', '/nothing', '/..', '/%2e%2e/%2e%2e', '/0', '.json', '?', '#', '/x'.repeat(200), `/${'x'.repeat(3_000)}`];

export interface Plan {
  readonly route: PublishedRoute | undefined;
  readonly request: BadRequest | undefined;
  readonly sending: Sending;
  /** Nothing can be said of an answer: the request is not complete, or no HTTP. */
  readonly mayWait: boolean;
}

export class Plans {
  readonly #seed: number;
  readonly #routes: readonly PublishedRoute[];
  readonly #requests: readonly fc.Arbitrary<BadRequest>[];

  constructor(seed: number, routes: readonly PublishedRoute[]) {
    this.#seed = seed;
    this.#routes = routes;
    this.#requests = routes.map((route) => badRequestTo(route, route.example));
  }

  *batch(number: number, scene: Scene): Generator<Plan> {
    const seed = (this.#seed * 1_000_003 + number) | 0;
    const random = randomOf(seed);
    if (number % BROKEN_EVERY === BROKEN_EVERY - 1) {
      for (const text of fc.sample(brokenHttp, { numRuns: BATCH, seed })) yield brokenPlan(text, scene);
      return;
    }
    const index = (number - Math.floor(number / BROKEN_EVERY)) % this.#routes.length;
    const route = this.#routes[index] as PublishedRoute;
    const requests = fc.sample(this.#requests[index] as fc.Arbitrary<BadRequest>, { numRuns: BATCH, seed });
    for (const [at, request] of requests.entries()) {
      const spared = at % DELETED_EVERY === 0 ? request : withoutDeletion(route, request);
      yield planOf(route, spared, requests, scene, random);
    }
  }
}

function brokenPlan(text: string, { credentials }: Scene): Plan {
  const bytes = Buffer.from(text.replaceAll('KEY', credentials.owner['x-api-key'] as string), 'latin1');
  return { route: undefined, request: undefined, sending: { pieces: [bytes], methods: ['GET'] }, mayWait: true };
}

function withoutDeletion({ method, path }: PublishedRoute, request: BadRequest): BadRequest {
  if (method !== 'DELETE') return request;
  const last = /:(\w+)$/.exec(path)?.[1];
  if (last === undefined) return { ...request, credential: 'none' };
  return request.params[last] === 'real' ? { ...request, params: { ...request.params, [last]: 'nothing' } } : request;
}

function planOf(route: PublishedRoute, request: BadRequest, others: readonly BadRequest[], scene: Scene, random: Random): Plan {
  const manner = pick(random, manners);
  const target = targetOf(route, request, scene.items);
  const bytes = (method: string, to: string, of = request) => requestBytes(method, to, of, scene, manner === 'chunked');
  const plan = (sending: Sending, mayWait = false): Plan => ({ route, request, sending, mayWait });
  const { method } = route;
  switch (manner) {
    case 'whole':
    case 'chunked':
      return plan({ pieces: [bytes(method, target)], methods: [method] });
    case 'in pieces':
      return plan({ pieces: piecesOf(bytes(method, target), random), methods: [method] });
    case 'cut off': {
      const whole = bytes(method, target);
      return plan({ pieces: [whole.subarray(0, wholeNumber(random, 1, whole.length - 1))], methods: [] }, true);
    }
    case 'with others': {
      const all = [request, ...Array.from({ length: wholeNumber(random, 1, 7) }, () => pick(random, others))].map((each) =>
        bytes(method, targetOf(route, withoutDeletion(route, each), scene.items), withoutDeletion(route, each)),
      );
      return plan({ pieces: [Buffer.concat(all)], methods: all.map(() => method) });
    }
    case 'by another method': {
      const other = pick(random, otherMethods);
      if (other === 'DELETE') return plan({ pieces: [bytes(method, target)], methods: [method] });
      return plan({ pieces: [bytes(other, target)], methods: [other] });
    }
    case 'to another path':
      return plan({ pieces: [bytes(method, target.replace(/(\?|$)/, `${pick(random, strayPaths)}$1`))], methods: [method] });
  }
}

/** A complete request: what says that its body comes in chunks gets one that does. */
function requestBytes(method: string, target: string, { credential, headers, body }: BadRequest, scene: Scene, asChunks: boolean): Buffer {
  const content = body ? bytesOf(body) : undefined;
  const isChunked = 'transfer-encoding' in headers || (asChunks && content !== undefined);
  const framing = isChunked ? { 'transfer-encoding': 'chunked' } : content && { 'content-length': String(content.length) };
  const all: Record<string, string> = { host: 'localhost', ...scene.credentials[credential], ...headers, ...framing };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  const first = `${method} ${Buffer.from(target).toString('latin1')} HTTP/1.1`;
  const head = Buffer.from(`${[first, ...lines].join('\r\n')}\r\n\r\n`, 'latin1');
  if (isChunked) return Buffer.concat([head, ...chunksOf(content ?? Buffer.alloc(0))]);
  return content ? Buffer.concat([head, content]) : head;
}

function chunksOf(content: Buffer): Buffer[] {
  const end = Buffer.from('0\r\n\r\n');
  if (content.length === 0) return [end];
  return [Buffer.from(`${content.length.toString(16)}\r\n`), content, Buffer.from('\r\n'), end];
}

function piecesOf(bytes: Buffer, random: Random): Buffer[] {
  const cuts = [0, ...Array.from({ length: 3 }, () => wholeNumber(random, 0, bytes.length)).sort((a, b) => a - b), bytes.length];
  return cuts.slice(1).flatMap((cut, index) => {
    const piece = bytes.subarray(cuts[index], cut);
    return piece.length > 0 ? [piece] : [];
  });
}

export function describePlan({ route, sending }: Plan): string {
  const text = Buffer.concat([...sending.pieces])
    .subarray(0, 700)
    .toString('latin1');
  return `${route ? titleOf(route) : 'no route'}: ${JSON.stringify(text)}`;
}
