/** A proxy in front of PostgreSQL that notes what kinds of messages are sent to it. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

const READY = 0x5a;

export class WireTap implements AsyncDisposable {
  readonly #server: Server;
  readonly #target: URL;
  readonly #sockets = new Set<Socket>();
  #sent: string[] = [];
  #keepsAnswer = false;

  private constructor(server: Server, target: URL) {
    this.#server = server;
    this.#target = target;
    server.on('connection', (client) => this.#join(client));
  }

  static async start(url: string): Promise<WireTap> {
    const server = createServer({ noDelay: true });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new WireTap(server, new URL(url));
  }

  /** The database by way of the tap. */
  get url(): string {
    const url = new URL(this.#target);
    url.host = `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return url.href;
  }

  /** What was sent since the last call, by the codes of the messages. What is answered as one, up to its Sync, is one entry. */
  take(): string[] {
    const sent = this.#sent;
    this.#sent = [];
    return sent;
  }

  /** The next answer is kept back, and its connection cut: what was asked is carried out, and nobody hears of it. */
  keepAnswer(): void {
    this.#keepsAnswer = true;
  }

  #join(client: Socket): void {
    const upstream = connect({ port: Number(this.#target.port), host: this.#target.hostname, noDelay: true });
    for (const socket of [client, upstream]) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.#sockets.delete(socket));
    }
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
    let codes = '';
    // The first message of a connection has no code.
    const sent = new MessageCodes(false, (code) => {
      codes += String.fromCharCode(code);
      if (!/[SQ]$/.test(codes)) return;
      this.#sent.push(codes);
      codes = '';
    });
    let isAnswered = false;
    const answers = new MessageCodes(true, (code) => {
      isAnswered = code === READY;
    });
    client.on('data', (bytes: Buffer) => {
      sent.read(bytes);
      upstream.write(bytes);
    });
    upstream.on('data', (bytes: Buffer) => {
      answers.read(bytes);
      if (!this.#keepsAnswer) client.write(bytes);
      else if (isAnswered) {
        this.#keepsAnswer = false;
        client.destroy();
      }
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

/** Of the messages in a stream that comes in pieces. */
class MessageCodes {
  #hasCode: boolean;
  readonly #note: (code: number) => void;
  #rest: Buffer = Buffer.alloc(0);

  constructor(hasCode: boolean, note: (code: number) => void) {
    this.#hasCode = hasCode;
    this.#note = note;
  }

  read(bytes: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    for (;;) {
      const codeBytes = this.#hasCode ? 1 : 0;
      if (this.#rest.length < codeBytes + 4) return;
      const length = codeBytes + this.#rest.readInt32BE(codeBytes);
      if (this.#rest.length < length) return;
      if (this.#hasCode) this.#note(this.#rest[0] as number);
      this.#hasCode = true;
      this.#rest = this.#rest.subarray(length);
    }
  }
}
