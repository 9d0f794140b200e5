/** A declared route at work: what was sent is checked, the handler called, its answer written. A promise only where something waits. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { requireWithinLimit } from '../auth/access.ts';
import type { Context } from '../context.ts';
import type { Transactable } from '../db/database.ts';
import { runInLane } from '../lanes/current-lane.ts';
import { LARGE_BYTES, largeWork } from '../lanes/loop-turns.ts';
import { scopeOf } from './actors.ts';
import { isLong } from './answer-pieces.ts';
import { send, sendFile, sendLines, sendLong, serialize } from './answering.ts';
import { acceptsEventStream } from './event-streams.ts';
import { type IdempotencyClaim, type KeptAnswer, once, readClaim } from './idempotency.ts';
import { readIncoming } from './incoming-streams.ts';
import { laneOf } from './limits.ts';
import { requirePlausible } from './params.ts';
import { isStillAdmitted } from './readmission.ts';
import { type DeclaredRoute, type FileAnswer, type LinesAnswer, StoredFile, StreamedLines, takesIdempotencyKey } from './route.ts';
import { RouteCall } from './route-call.ts';
import { serializerOf } from './serializers.ts';
import { storingOf } from './storing.ts';
import { readUpload } from './upload.ts';
import { validate } from './validation.ts';

interface LongAnswer {
  readonly status: number;
  readonly payload: Iterable<string>;
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => void;

/** The handler of a route. It answers by itself: nothing that it returned would be waited for. */
export function serverOf(route: DeclaredRoute, context: Context): Handler {
  const origin = `${route.method} ${route.path}`;
  return (request, reply) => {
    const { inFlight } = request;
    inFlight?.startHandling();
    const end = () => {
      inFlight?.endHandling();
      request.storing?.end();
    };
    const fail = (error: unknown) => {
      end();
      if (!reply.sent) reply.send(error);
      else {
        request.log.error({ err: error as Error }, 'an answer could not be written to its end');
        reply.raw.destroy();
      }
    };
    try {
      const answered = runInLane(laneOf(request), () => new Serving(route, context, request, reply).serve(), origin);
      answered.then(end, fail);
    } catch (error) {
      fail(error);
    }
  };
}

/** One request on its way. */
class Serving {
  readonly #route: DeclaredRoute;
  readonly #context: Context;
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  readonly #startMs = performance.now();
  readonly #isLarge: boolean;

  constructor(route: DeclaredRoute, context: Context, request: FastifyRequest, reply: FastifyReply) {
    this.#route = route;
    this.#context = context;
    this.#request = request;
    this.#reply = reply;
    this.#isLarge = (request.inFlight?.bodyBytes ?? 0) > LARGE_BYTES;
  }

  serve(): Promise<void> {
    const { upload, receives, prepare, stream } = this.#route;
    if (stream !== undefined && acceptsEventStream(this.#request.headers.accept)) return this.#serveStream(stream);
    if (upload !== undefined || receives !== undefined || prepare !== undefined || this.#isLarge) return this.#serveInSteps();
    const call = this.#check();
    this.#requirePlace(call);
    return this.#handle(call, this.#startMs);
  }

  /** Resolves when it is open: it goes on by itself. */
  async #serveStream(stream: NonNullable<DeclaredRoute['stream']>): Promise<void> {
    const call = this.#check();
    this.#requirePlace(call);
    const { workspaceId } = call.params as { workspaceId: string };
    const { streams } = this.#context;
    streams.requireRoom(workspaceId);
    const begin = await stream(call);
    if (this.#reply.raw.destroyed) return;
    begin(streams.open(this.#request, this.#reply, workspaceId, () => isStillAdmitted(this.#route, this.#request, this.#context.callers)));
  }

  /** With something to wait for before the handler. */
  async #serveInSteps(): Promise<void> {
    const { upload, receives, prepare } = this.#route;
    // Reading it had a turn of the event loop for itself, and checking it has the next.
    if (this.#isLarge) await largeWork.take();
    const startMs = performance.now();
    const call = this.#check();
    if (upload) call.upload = await readUpload(this.#request, upload);
    if (receives) call.incoming = readIncoming(this.#request);
    this.#requirePlace(call);
    if (!prepare) return this.#handle(call, upload || receives ? undefined : startMs);
    const claim = this.#claim(call);
    call.prepared = await prepare(call);
    return this.#handle(call, undefined, claim);
  }

  /** By the contract. */
  #check(): RouteCall {
    const { query, body } = this.#route;
    const request = this.#request;
    const checked = { query: query && validate(query, request.query), body: body && validate(body, request.body) };
    return new RouteCall(request, this.#reply, checked, this.#context.clock.nowMs(), this.#context.db);
  }

  #requirePlace({ caller, params }: RouteCall): void {
    requirePlausible(this.#route, params);
    requireWithinLimit(caller, params);
  }

  #claim({ caller, upload }: RouteCall): IdempotencyClaim | undefined {
    return takesIdempotencyKey(this.#route) ? readClaim(this.#request, scopeOf(caller, this.#request), upload) : undefined;
  }

  /** `sinceMs`: since when the event loop is held for it, where it is. */
  #handle(call: RouteCall, sinceMs: number | undefined, claim = this.#claim(call)): Promise<void> {
    const storing = storingOf(this.#context.quotas, call.params.workspaceId, this.#route, call);
    this.#request.storing = storing;
    if (claim) return this.#handleOnce(call, claim);
    if (storing) return storing.begin().then(() => this.#handleNow(call, undefined));
    return this.#handleNow(call, sinceMs);
  }

  #handleNow(call: RouteCall, sinceMs: number | undefined): Promise<void> {
    const handled = this.#timed(() => this.#route.handle(call), sinceMs);
    return handled.then((answer) => this.#answer(call, answer));
  }

  async #handleOnce(call: RouteCall, claim: IdempotencyClaim): Promise<void> {
    const { db } = this.#context;
    const { storing } = this.#request;
    const work = async (tx: Transactable) => {
      const inside = call.inside(tx);
      const answer = await this.#timed(() => this.#route.handle(inside));
      const sessionIds = [call.params.sessionId, this.#route.tellsOfSession?.(answer)].filter((id) => id !== undefined);
      return { answer: { status: this.#statusOf(inside), payload: this.#serialize(answer) }, made: this.#route.made?.(answer), sessionIds };
    };
    const kept = await once(db, claim, call.nowMs, work, storing && (() => storing.begin()));
    if (kept.replayed) this.#reply.header('idempotency-replayed', 'true');
    else storing?.keep();
    return this.#send(kept);
  }

  #answer(call: RouteCall, answer: unknown): void | Promise<void> {
    if (this.#route.answers.body === StoredFile) {
      sendFile(this.#request, this.#reply, answer as FileAnswer);
      return;
    }
    if (this.#route.answers.body === StreamedLines)
      return sendLines(this.#request, this.#reply, this.#statusOf(call), answer as LinesAnswer);
    // What was sent is most often what is answered. Not inside the transaction of a key, which others wait for.
    if (this.#isLarge) return largeWork.take().then(() => this.#write(call, answer));
    return this.#write(call, answer);
  }

  #write(call: RouteCall, answer: unknown): void | Promise<void> {
    const { body } = this.#route.answers;
    const payload = body && isLong(answer) ? serializerOf(body).writePieces(answer) : this.#serialize(answer);
    const { workspaceId } = call.params;
    if (this.#route.isSearch && workspaceId !== undefined) this.#context.usage.countSearch(workspaceId, performance.now() - this.#startMs);
    this.#request.storing?.keep();
    return this.#send({ status: this.#statusOf(call), payload });
  }

  #statusOf({ status }: RouteCall): number {
    return status ?? this.#route.answers.status;
  }

  #serialize(answer: unknown): string {
    return this.#timed(() => serialize(this.#route, answer));
  }

  #send({ status, payload }: KeptAnswer | LongAnswer): void | Promise<void> {
    if (this.#reply.sent) return;
    if (typeof payload === 'string') return send(this.#route, this.#request, this.#reply, status, payload);
    return sendLong(this.#route, this.#request, this.#reply, status, payload);
  }

  /** What holds the event loop is timed: the watchdog names who it was. */
  #timed<T>(section: () => T, sinceMs = performance.now()): T {
    const result = section();
    this.#request.inFlight?.noteSection(sinceMs);
    return result;
  }
}
