/** The requests that are being worked on: so many of each caller, the others wait in their order; and which routes those are. */
import { AsyncResource } from 'node:async_hooks';
import { AppError } from '../errors.ts';

export interface InFlightLimits {
  /** Places: a request takes one, and one whose answer can be large takes several. */
  readonly maxOfCaller: number;
  readonly maxWaitingOfCaller: number;
  /** Of the bodies of all that a caller has in flight. One alone may be larger. */
  readonly maxBodyBytesOfCaller: number;
}

export const IN_FLIGHT_LIMITS: InFlightLimits = { maxOfCaller: 128, maxWaitingOfCaller: 1_024, maxBodyBytesOfCaller: 32 * 1024 * 1024 };

/** What takes the event loop this long without a pause is remembered for a while. */
const LONG_SECTION_MS = 20;
const MAX_LONG_SECTIONS = 100;
const MAX_ROUTES = 5;
const NOWHERE = -1;

interface CallerLoad {
  inFlight: number;
  bodyBytes: number;
  readonly waiting: InFlightRequest[];
}

export interface RouteAtWork {
  readonly route: string;
  /** What it took of the event loop, where that was long at a time, and how often it did. */
  readonly ms?: number;
  readonly times?: number;
}

export interface Entering {
  readonly caller: string;
  /** Method and pattern, never the path. */
  readonly route: string;
  readonly bodyBytes: number;
  readonly places: number;
  readonly begin: (request: InFlightRequest) => void;
}

/** Leaves when its answer is out or its caller is gone, and its handler has ended. */
export class InFlightRequest {
  readonly caller: string;
  readonly route: string;
  readonly bodyBytes: number;
  readonly places: number;
  readonly begin: (request: InFlightRequest) => void;
  /** Its place in the list of those under way; none while it waits. */
  place = NOWHERE;
  readonly #registry: RequestsInFlight;
  #isHandled = false;
  #isClosed = false;

  constructor(registry: RequestsInFlight, { caller, route, bodyBytes, places, begin }: Entering) {
    this.#registry = registry;
    this.caller = caller;
    this.route = route;
    this.bodyBytes = bodyBytes;
    this.places = places;
    this.begin = begin;
  }

  startHandling(): void {
    this.#isHandled = true;
  }

  endHandling(): void {
    this.#isHandled = false;
    if (this.#isClosed) this.#registry.leave(this);
  }

  close(): void {
    this.#isClosed = true;
    if (!this.#isHandled) this.#registry.leave(this);
  }

  /** That it held the event loop from then until now. */
  noteSection(startMs: number): void {
    const endMs = performance.now();
    if (endMs - startMs >= LONG_SECTION_MS) this.#registry.noteLongSection(this.route, startMs, endMs);
  }
}

export class RequestsInFlight {
  refusedTotal = 0;
  readonly #limits: InFlightLimits;
  readonly #callers = new Map<string, CallerLoad>();
  /** Not a set: the tables that one grows through link to each other, and keep requests in memory long after they are over. */
  readonly #requests: InFlightRequest[] = [];
  #waitingCount = 0;
  #longSections: { readonly route: string; readonly ms: number; readonly endMs: number }[] = [];

  constructor(limits: Partial<InFlightLimits> = {}) {
    this.#limits = { ...IN_FLIGHT_LIMITS, ...limits };
  }

  /** Begins it now or in its turn. Throws where too many wait already. */
  enter(entering: Entering): InFlightRequest {
    const load = this.#callers.get(entering.caller) ?? { inFlight: 0, bodyBytes: 0, waiting: [] };
    if (load.waiting.length >= this.#limits.maxWaitingOfCaller) {
      this.refusedTotal++;
      throw new AppError('too_many_requests', 'Too many requests at once', { retryAfterSeconds: 1 });
    }
    this.#callers.set(entering.caller, load);
    if (load.waiting.length === 0 && this.#hasRoom(load, entering)) {
      const request = new InFlightRequest(this, entering);
      this.#begin(load, request);
      return request;
    }
    // Bound: whoever leaves begins it, and its lane and its trace are others.
    const request = new InFlightRequest(this, { ...entering, begin: AsyncResource.bind(entering.begin) });
    load.waiting.push(request);
    this.#waitingCount++;
    return request;
  }

  leave(request: InFlightRequest): void {
    const load = this.#callers.get(request.caller);
    if (!load) return;
    if (request.place !== NOWHERE) {
      this.#remove(request);
      load.inFlight -= request.places;
      load.bodyBytes -= request.bodyBytes;
    } else {
      const place = load.waiting.indexOf(request);
      if (place === -1) return;
      load.waiting.splice(place, 1);
      this.#waitingCount--;
    }
    this.#beginWaiting(load);
    if (load.inFlight === 0) this.#callers.delete(request.caller);
  }

  noteLongSection(route: string, startMs: number, endMs: number): void {
    if (this.#longSections.length >= MAX_LONG_SECTIONS) this.#longSections.shift();
    this.#longSections.push({ route, ms: endMs - startMs, endMs });
  }

  /** What held the event loop since then, what took most first; where nothing did for long, what is under way. */
  routesAtWork(sinceMs: number): RouteAtWork[] {
    const sums = new Map<string, { ms: number; times: number }>();
    for (const { route, ms, endMs } of this.#longSections) {
      if (endMs < sinceMs) continue;
      const sum = sums.get(route) ?? { ms: 0, times: 0 };
      sums.set(route, { ms: sum.ms + ms, times: sum.times + 1 });
    }
    this.#longSections = [];
    if (sums.size === 0) return [...new Set(this.#requests.map(({ route }) => route))].slice(0, MAX_ROUTES).map((route) => ({ route }));
    return [...sums]
      .map(([route, { ms, times }]) => ({ route, ms: Math.round(ms), times }))
      .sort((one, other) => other.ms - one.ms)
      .slice(0, MAX_ROUTES);
  }

  gauges(): Record<string, number> {
    return { in_flight: this.#requests.length, waiting: this.#waitingCount, callers: this.#callers.size };
  }

  #beginWaiting(load: CallerLoad): void {
    for (let next = load.waiting[0]; next && this.#hasRoom(load, next); next = load.waiting[0]) {
      load.waiting.shift();
      this.#waitingCount--;
      this.#begin(load, next);
    }
  }

  #begin(load: CallerLoad, request: InFlightRequest): void {
    load.inFlight += request.places;
    load.bodyBytes += request.bodyBytes;
    request.place = this.#requests.push(request) - 1;
    request.begin(request);
  }

  /** The last one takes its place. */
  #remove(request: InFlightRequest): void {
    const last = this.#requests.pop() as InFlightRequest;
    if (last !== request) this.#requests[request.place] = last;
    last.place = request.place;
    request.place = NOWHERE;
  }

  #hasRoom({ inFlight, bodyBytes }: CallerLoad, more: Pick<Entering, 'bodyBytes' | 'places'>): boolean {
    const { maxOfCaller, maxBodyBytesOfCaller } = this.#limits;
    const hasPlaces = inFlight === 0 || inFlight + more.places <= maxOfCaller;
    return hasPlaces && (bodyBytes === 0 || bodyBytes + more.bodyBytes <= maxBodyBytesOfCaller);
  }
}
