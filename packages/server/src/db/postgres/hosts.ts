/** The hosts of a database URL, of which connections go to the one that takes writes: after a fail-over it is another. */
import type pg from 'pg';
import { DatabaseUnusable } from '../errors.ts';
import { isUnreachable } from './failures.ts';
import { type Host, readHostList } from './host-list.ts';
import { PacketClient } from './packet-client.ts';

/** What libpq calls the host that takes writes. The service writes, so that it is also what is meant where nothing is said. */
const WRITABLE = ['any', 'primary', 'read-write'];

/** Servers from 14 on say these of themselves at the start of each connection; not every pooler passes the first on. */
const NO_WRITES = ['in_hot_standby', 'default_transaction_read_only'];

/** The host takes no writes; with the code that a server gives a write then. */
class TakesNoWrites extends Error {
  readonly code = '25006';
  constructor({ name, port }: Host) {
    super(`${name}:${port} is a standby or read-only`);
    this.name = 'TakesNoWrites';
  }
}

export class Hosts {
  /** With one host, for what reads the rest of it. */
  readonly url: string;
  readonly #hosts: readonly Host[];
  /** What the pool and others make connections with. */
  readonly Client: typeof PacketClient;
  readonly #hostOf = new WeakMap<object, Host>();
  #current = 0;

  constructor(address: string) {
    const list = readHostList(address);
    // What is no URL at all is told apart by who connects.
    this.url = list?.url ?? address;
    this.#hosts = list?.hosts ?? [];
    if (list?.wanted !== undefined && !WRITABLE.includes(list.wanted)) {
      throw new DatabaseUnusable(
        `target_session_attrs=${list.wanted} in the database URL asks for a host that takes no writes. Set it to read-write, or leave it out.`,
      );
    }
    this.Client = this.#hosts.length === 0 ? PacketClient : clientOf(this);
  }

  get count(): number {
    return Math.max(1, this.#hosts.length);
  }

  /** one:5432,two:5432; undefined where there is but one. */
  get names(): string | undefined {
    return this.#hosts.length === 0 ? undefined : this.#hosts.map(({ name, port }) => `${name}:${port}`).join(',');
  }

  get current(): Host {
    return this.#hosts[this.#current] as Host;
  }

  /** Not this one: the next. Whoever fails later at the same one finds that it is another by now. */
  leave(host: Host): void {
    if (host === this.current) this.#current = (this.#current + 1) % this.#hosts.length;
  }

  noteConnection(client: object, host: Host): void {
    this.#hostOf.set(client, host);
  }

  /** A write showed that it takes none: new connections go elsewhere. */
  leaveHostOf(client: object): void {
    const host = this.#hostOf.get(client);
    if (host) this.leave(host);
  }

  /** Tries each host once. Nothing is sent before there is a connection, so that trying again is safe. */
  async connect<Client>(open: () => Promise<Client>): Promise<Client> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await open();
      } catch (error) {
        if (attempt >= this.count || !mayBeAnother(error)) throw error;
      }
    }
  }
}

function mayBeAnother(error: unknown): boolean {
  return error instanceof TakesNoWrites || isUnreachable(error);
}

function clientOf(hosts: Hosts): typeof PacketClient {
  return class extends PacketClient {
    constructor(config?: string | pg.ClientConfig) {
      const given = typeof config === 'object' ? config : undefined;
      const timeoutMs = given?.connectionTimeoutMillis;
      // The time for a connection is for all hosts together: one that is silent must not use it up.
      super(timeoutMs === undefined ? config : { ...given, connectionTimeoutMillis: Math.ceil(timeoutMs / hosts.count) });
    }

    override connect(): Promise<this>;
    override connect(callback: (error: Error) => void): void;
    override connect(callback?: (error: Error) => void): Promise<this> | undefined {
      if (!callback) return new Promise((resolve, reject) => this.connect((error) => (error ? reject(error) : resolve(this))));
      const host = hosts.current;
      this.host = host.name;
      this.port = host.port;
      hosts.noteConnection(this, host);
      const refusing = new Set<string>();
      this.connection.on('parameterStatus', ({ parameterName, parameterValue }: { parameterName: string; parameterValue: string }) => {
        if (!NO_WRITES.includes(parameterName)) return;
        if (parameterValue === 'on') refusing.add(parameterName);
        else refusing.delete(parameterName);
      });
      super.connect((failure: Error | null) => {
        const error = failure ?? (refusing.size > 0 ? new TakesNoWrites(host) : undefined);
        if (error && mayBeAnother(error)) hosts.leave(host);
        if (error && !failure) void this.end().catch(() => undefined);
        callback(error as Error);
      });
      return undefined;
    }
  };
}
