/** Nodes of the service behind a TCP proxy: killed and started again, while others go on. */
import { newSecret } from '../../packages/server/src/auth/secrets.ts';
import { TcpProxy } from '../../packages/server/test/tcp-proxy.ts';
import { Processes } from '../processes.ts';
import { type KillableService, startService } from '../service.ts';

export class Nodes implements AsyncDisposable {
  readonly apiKey = newSecret('apiKey');
  readonly #environment: Readonly<Record<string, string>>;
  readonly #processes = new Processes();
  readonly #proxy: TcpProxy;
  readonly #nodes: KillableService[] = [];

  private constructor(environment: Readonly<Record<string, string>>, proxy: TcpProxy) {
    this.#environment = environment;
    this.#proxy = proxy;
  }

  static async start(count: number, environment: Readonly<Record<string, string>>): Promise<Nodes> {
    const nodes = new Nodes(environment, await TcpProxy.start());
    try {
      await Promise.all(Array.from({ length: count }, () => nodes.add()));
      return nodes;
    } catch (error) {
      await nodes[Symbol.asyncDispose]();
      throw error;
    }
  }

  get url(): string {
    return `http://127.0.0.1:${this.#proxy.port}`;
  }

  get refusedConnections(): number {
    return this.#proxy.refused;
  }

  /** `entry`: the program of another version. */
  async add(entry?: string): Promise<KillableService> {
    const node = await this.#start(entry);
    this.#nodes.push(node);
    this.#aim();
    return node;
  }

  /** By SIGKILL, and started again at once, as a supervisor does. */
  async replace(index: number): Promise<void> {
    const node = this.#nodes[index % this.#nodes.length] as KillableService;
    await node.kill();
    this.#nodes[index % this.#nodes.length] = await this.#start();
    this.#aim();
  }

  /** For good, and properly. */
  async remove(node: KillableService): Promise<void> {
    this.#nodes.splice(this.#nodes.indexOf(node), 1);
    this.#aim();
    await node.stop();
  }

  #start(entry?: string): Promise<KillableService> {
    const settings = { COMMONPLACE_RATE_LIMIT: 'off', ...this.#environment, COMMONPLACE_ADMIN_API_KEY: this.apiKey };
    return startService(this.#processes, settings, entry);
  }

  #aim(): void {
    this.#proxy.setTargets(this.#nodes.map(({ url }) => Number(new URL(url).port)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#processes[Symbol.asyncDispose]();
    await this.#proxy[Symbol.asyncDispose]();
  }
}
