/** A plain TCP proxy in front of several ports of this machine, in turn; where one refuses, the next is tried. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

interface Pair {
  readonly client: Socket;
  readonly upstream: Socket;
}

export class TcpProxy implements AsyncDisposable {
  readonly #server: Server;
  #targets: readonly number[];
  #turn = 0;
  #isSilent = false;
  readonly #clients = new Set<Socket>();
  readonly #pairs = new Set<Pair>();
  /** Connections that were let through, by port. */
  readonly connections = new Map<number, number>();
  /** Targets that did not take a connection. */
  refused = 0;

  private constructor(targets: readonly number[]) {
    this.#targets = targets;
    this.#server = createServer({ pauseOnConnect: true, noDelay: true }, (client) => this.#accept(client));
  }

  static async start(targets: readonly number[] = []): Promise<TcpProxy> {
    const proxy = new TcpProxy(targets);
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once('error', reject);
      proxy.#server.listen(0, '127.0.0.1', resolve);
    });
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Where new connections go from now on; those that are open stay where they are. */
  setTargets(targets: readonly number[]): void {
    this.#targets = targets;
    this.#isSilent = false;
  }

  /**
   * As a host that lost its power: what is open stays open and says nothing more, for ever. New connections hang as well, until there
   * are new targets.
   */
  silence(): void {
    this.#isSilent = true;
    for (const { client, upstream } of this.#pairs) {
      client.unpipe(upstream).pause();
      upstream.unpipe(client).pause();
    }
  }

  #accept(client: Socket): void {
    this.#clients.add(client);
    client.on('error', () => undefined);
    client.on('close', () => this.#clients.delete(client));
    if (!this.#isSilent) this.#forward(client, this.#targets.length);
  }

  #forward(client: Socket, triesLeft: number): void {
    const port = this.#targets[this.#turn++ % Math.max(1, this.#targets.length)];
    if (triesLeft === 0 || port === undefined || client.destroyed) {
      client.destroy();
      return;
    }
    const upstream = connect({ port, host: '127.0.0.1', noDelay: true });
    const refuse = () => {
      this.refused++;
      this.#forward(client, triesLeft - 1);
    };
    upstream.once('error', refuse);
    upstream.once('connect', () => {
      upstream.off('error', refuse);
      this.connections.set(port, (this.connections.get(port) ?? 0) + 1);
      this.#join({ client, upstream });
    });
  }

  #join(pair: Pair): void {
    const { client, upstream } = pair;
    this.#pairs.add(pair);
    // Who hangs up on one side is hung up on at the other, by a reset as by an end.
    upstream.on('error', () => client.resetAndDestroy());
    upstream.on('close', () => client.destroy());
    client.on('close', () => {
      upstream.destroy();
      this.#pairs.delete(pair);
    });
    if (client.destroyed) upstream.destroy();
    if (this.#isSilent) return;
    client.pipe(upstream);
    upstream.pipe(client);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const client of this.#clients) client.destroy();
    await closed;
  }
}
