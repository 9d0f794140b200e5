/** A receiver of webhooks that fails one time in three and hangs one time in fifty, and keeps a record of what came. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { type Random, randomOf } from '../soak/random.ts';

const FAILS = 1 / 3;
const HANGS = 1 / 50;
/** One event fails so often in a row and no more: it is to arrive, and the webhook is to stay switched on. */
const MOST_FAILURES = 8;

/** The messages of a session are numbered from 0 on, in their text: `3`. */
export interface Judgement {
  readonly requests: number;
  readonly failed: number;
  readonly hung: number;
  /** Taken a second time: its sender was killed, or gave up, before it heard that it was taken. */
  readonly again: number;
  readonly problems: readonly string[];
}

interface Taken {
  readonly ids: Map<number, string>;
  /** All below this number were taken. */
  next: number;
}

export class BadReceiver implements AsyncDisposable {
  secret = '';
  requests = 0;
  readonly #server: Server;
  readonly #random: Random;
  readonly #taken = new Map<string, Taken>();
  readonly #failures = new Map<string, number>();
  readonly #problems: string[] = [];
  readonly #waiting = new Set<{ readonly at: number; readonly reached: () => void }>();
  #failed = 0;
  #hung = 0;
  #again = 0;

  private constructor(seed: number) {
    this.#random = randomOf(seed);
    this.#server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of request) chunks.push(chunk as Buffer);
      } catch {
        // Its sender was killed before all of it was said.
        return;
      }
      this.#receive(request.headers as Record<string, string>, Buffer.concat(chunks).toString(), response);
    });
  }

  static async start(seed: number): Promise<BadReceiver> {
    const receiver = new BadReceiver(seed);
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  /** Events, each once. */
  get taken(): number {
    return [...this.#taken.values()].reduce((sum, { next }) => sum + next, 0);
  }

  /** Resolves when so many events were taken. */
  untilTaken(at: number): Promise<void> {
    if (this.taken >= at) return Promise.resolve();
    return new Promise((reached) => this.#waiting.add({ at, reached }));
  }

  /** Everything of the sessions arrived, whole and in order. */
  judge(sessions: ReadonlyMap<string, number>): Judgement {
    const missing = [...sessions].flatMap(([sessionId, count]) => {
      const next = this.#taken.get(sessionId)?.next ?? 0;
      return next === count ? [] : [`session ${sessionId}: ${next} of ${count} arrived`];
    });
    const { requests } = this;
    return { requests, failed: this.#failed, hung: this.#hung, again: this.#again, problems: [...this.#problems, ...missing] };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #receive(headers: Record<string, string>, body: string, response: ServerResponse): void {
    this.requests++;
    const event = this.#verified(headers, body);
    if (!event) {
      response.writeHead(400).end();
      return;
    }
    const { sessionId, data } = event;
    const number = Number(data.message.content);
    const id = headers['webhook-id'] ?? '';
    const taken = this.#taken.get(sessionId) ?? { ids: new Map(), next: 0 };
    this.#taken.set(sessionId, taken);
    if (number > taken.next) this.#problems.push(`session ${sessionId}: ${number} came before ${taken.next} was taken`);
    const known = taken.ids.get(number);
    if (known !== undefined && known !== id) this.#problems.push(`session ${sessionId}: ${number} came as ${known} and as ${id}`);
    taken.ids.set(number, id);
    const failures = this.#failures.get(id) ?? 0;
    const chance = this.#random();
    if (failures < MOST_FAILURES && chance < FAILS + HANGS) {
      this.#failures.set(id, failures + 1);
      if (chance >= FAILS) this.#hung++;
      else {
        this.#failed++;
        response.writeHead(chance < FAILS / 2 ? 500 : 302, { location: '/elsewhere' }).end('not now');
      }
      return;
    }
    if (number < taken.next) this.#again++;
    else if (number === taken.next) taken.next++;
    response.writeHead(204).end();
    this.#tell();
  }

  #verified(headers: Record<string, string>, body: string) {
    try {
      return new Webhook(this.secret).verify(body, headers) as { sessionId: string; data: { message: { content: string } } };
    } catch (error) {
      this.#problems.push(`a delivery has a wrong signature: ${(error as Error).message}`);
      return undefined;
    }
  }

  #tell(): void {
    const { taken } = this;
    for (const waiting of this.#waiting) {
      if (taken < waiting.at) continue;
      this.#waiting.delete(waiting);
      waiting.reached();
    }
  }
}
