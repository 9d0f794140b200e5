/** Answers that go on: server-sent events to callers who stay, for as long as they may read them. */
import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CALLERS_TOPIC } from '../auth/revocations.ts';
import type { Database } from '../db/database.ts';
import { AppError } from '../errors.ts';
import { runInServiceLane } from '../lanes/current-lane.ts';
import type { Log } from '../logging.ts';

export const EVENT_STREAM = 'text/event-stream';

const HEARTBEAT_MS = 15_000;
/** What waits for a caller who reads slowly: beyond it nothing is added until they have read. */
const MOST_WAITING_BYTES = 256 * 1024;
/** Of one workspace on one node. */
const MOST_STREAMS = 2_000;
const ASKED_AT_ONCE = 50;

/** One caller who stays. */
export class EventStream {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  get isOpen(): boolean {
    return !this.#response.destroyed && !this.#response.writableEnded;
  }

  /** Whether as much waits for the caller as may. */
  get isFull(): boolean {
    return this.#response.writableLength >= MOST_WAITING_BYTES;
  }

  write(text: string | Buffer): void {
    if (this.isOpen) this.#response.write(text);
  }

  /** Resolves when the caller has read what waits, or is gone. */
  async drained(): Promise<void> {
    while (this.isOpen && this.#response.writableLength > 0) await nextDrain(this.#response);
  }

  onClose(listener: () => void): void {
    this.#response.once('close', listener);
  }

  end(): void {
    if (this.isOpen) this.#response.end();
  }
}

function nextDrain(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      response.off('drain', end).off('close', end);
      resolve();
    };
    response.on('drain', end).on('close', end);
  });
}

/** Whether its caller may still read it. */
type Check = () => boolean | Promise<boolean>;

/** Those that are open on this node. */
export class EventStreams {
  readonly #log: Log;
  readonly #open = new Map<EventStream, Check>();
  readonly #perWorkspace = new Map<string, number>();
  readonly #heartbeat: NodeJS.Timeout;
  #checking: Promise<void> | undefined;
  #checkAgain = false;

  constructor(db: Pick<Database, 'listen'>, log: Log) {
    this.#log = log;
    // Whoever lost what they read by is told nothing more.
    db.listen(CALLERS_TOPIC, () => this.#check());
    this.#heartbeat = runInServiceLane(() => setInterval(() => this.#beat(), HEARTBEAT_MS).unref());
  }

  get size(): number {
    return this.#open.size;
  }

  /** Throws where the workspace has as many as it may. */
  requireRoom(workspaceId: string): void {
    if ((this.#perWorkspace.get(workspaceId) ?? 0) < MOST_STREAMS) return;
    throw new AppError('too_many_requests', 'Too many streams of events of this workspace', { retryAfterSeconds: 15 });
  }

  /** Begins the answer. It takes no place among the requests in flight any more. */
  open(request: FastifyRequest, reply: FastifyReply, workspaceId: string, isAllowed: Check): EventStream {
    const headers = reply.server.commonHeaders.flatFor(request, reply, 'no-store');
    // What stands between need not collect it.
    headers.push('content-type', `${EVENT_STREAM}; charset=utf-8`, 'x-accel-buffering', 'no');
    const { raw } = reply.hijack();
    raw.writeHead(200, headers);
    raw.flushHeaders();
    raw.socket?.setNoDelay(true);
    const stream = new EventStream(raw);
    this.#open.set(stream, isAllowed);
    this.#perWorkspace.set(workspaceId, (this.#perWorkspace.get(workspaceId) ?? 0) + 1);
    stream.onClose(() => {
      this.#open.delete(stream);
      const left = (this.#perWorkspace.get(workspaceId) ?? 1) - 1;
      if (left > 0) this.#perWorkspace.set(workspaceId, left);
      else this.#perWorkspace.delete(workspaceId);
    });
    request.inFlight?.close();
    return stream;
  }

  /** Ends all of them. Their callers come again, to this node or another, and go on from where they were. */
  close(): void {
    clearInterval(this.#heartbeat);
    for (const stream of this.#open.keys()) stream.end();
  }

  #beat(): void {
    for (const stream of this.#open.keys()) if (!stream.isFull) stream.write(': \n\n');
    this.#check();
  }

  #check(): void {
    if (this.#checking) this.#checkAgain = true;
    else
      this.#checking = runInServiceLane(() => this.#checkAll()).finally(() => {
        this.#checking = undefined;
      });
  }

  async #checkAll(): Promise<void> {
    do {
      this.#checkAgain = false;
      const streams = [...this.#open];
      for (let start = 0; start < streams.length; start += ASKED_AT_ONCE)
        await Promise.all(
          streams.slice(start, start + ASKED_AT_ONCE).map(([stream, isAllowed]) => this.#endUnlessAllowed(stream, isAllowed)),
        );
    } while (this.#checkAgain);
  }

  async #endUnlessAllowed(stream: EventStream, isAllowed: Check): Promise<void> {
    try {
      if (!(await isAllowed())) stream.end();
    } catch (error) {
      // What can't be made sure of is not gone on with: its caller comes again.
      this.#log.warn({ err: error }, 'a stream of events ended, because nobody could tell whether its caller may still read it');
      stream.end();
    }
  }
}

/** Whether a caller asks for a stream rather than a page. */
export function acceptsEventStream(accept: string | undefined): boolean {
  return accept?.split(',').some((type) => type.split(';', 1)[0]?.trim().toLowerCase() === EVENT_STREAM) ?? false;
}
