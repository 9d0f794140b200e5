/** Follows the events of a workspace as a client does: over a connection, as they come. */
import type { AddressInfo } from 'node:net';
import type { Event } from '@commonplace/contract/events';
import type { FastifyInstance } from 'fastify';

export class FollowedEvents {
  readonly events: Event[] = [];
  readonly lines: string[] = [];
  #isOver = false;
  #wake: () => void = () => undefined;
  readonly #stopping = new AbortController();

  private constructor(body: ReadableStream<Uint8Array>) {
    void this.#read(body);
  }

  /** `path` is below /api/v1. Throws with the status where it is refused. */
  static async open(server: FastifyInstance, path: string, headers: Record<string, string>): Promise<FollowedEvents> {
    if (!server.server.listening) await server.listen({ host: '127.0.0.1', port: 0 });
    const { port } = server.server.address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, { headers: { accept: 'text/event-stream', ...headers } });
    if (answer.status !== 200 || !answer.body) throw new Error(`Refused with ${answer.status}: ${await answer.text()}`);
    return new FollowedEvents(answer.body);
  }

  /** The first so many of those that came, as soon as they have. */
  async first(count: number): Promise<Event[]> {
    while (this.events.length < count) {
      if (this.#isOver) throw new Error(`The stream ended after ${this.events.length} of ${count} events`);
      await this.#change();
    }
    return this.events.slice(0, count);
  }

  /** Until the service ends it. */
  async end(): Promise<void> {
    while (!this.#isOver) await this.#change();
  }

  close(): void {
    this.#stopping.abort();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    let rest = '';
    try {
      const texts = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>, {
        signal: this.#stopping.signal,
      });
      for await (const text of texts) {
        const parts = (rest + text).split('\n\n');
        rest = parts.pop() as string;
        for (const part of parts) this.#take(part);
        this.#wake();
      }
    } catch {
      // Cut off: what came is there.
    }
    this.#isOver = true;
    this.#wake();
  }

  #take(part: string): void {
    this.lines.push(...part.split('\n'));
    const data = /^data: (.*)$/m.exec(part)?.[1];
    if (data === undefined) return;
    const event = JSON.parse(data) as Event;
    if (!part.startsWith(`id: ${event.id}\nevent: ${event.type}\n`)) throw new Error(`Not as its event says: ${part}`);
    this.events.push(event);
  }
}
