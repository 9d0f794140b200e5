/** One connection, spoken to in bytes: what a client sees of answers that come before its request is sent. */
import { once } from 'node:events';
import net from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export class RawConnection {
  readonly #socket: net.Socket;
  #received = '';
  #error: Error | undefined;
  #isOver = false;
  #wake: () => void = () => undefined;

  private constructor(socket: net.Socket) {
    this.#socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      this.#received += text;
      this.#wake();
    });
    for (const event of ['end', 'close'] as const) {
      socket.on(event, () => {
        this.#isOver = true;
        this.#wake();
      });
    }
    socket.on('error', (error) => {
      this.#error = error;
      this.#wake();
    });
  }

  static async open(port: number): Promise<RawConnection> {
    const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  /** Waits until the other side has taken the bytes, as a client does that reads nothing before it has written all. */
  async write(bytes: string | Buffer): Promise<void> {
    if (this.#socket.write(bytes, 'latin1') || this.#socket.destroyed) return;
    // Whichever does not come is listened for no longer.
    const over = new AbortController();
    const { signal } = over;
    await Promise.race([once(this.#socket, 'drain', { signal }), once(this.#socket, 'close', { signal })]).catch(() => undefined);
    over.abort();
  }

  /** Without waiting. */
  push(bytes: string | Buffer): void {
    this.#socket.write(bytes, 'latin1');
  }

  /** The next answer; throws where the connection ends or breaks before it is whole. */
  async answer(): Promise<RawAnswer> {
    for (;;) {
      const answer = this.#parsed();
      if (answer) return answer;
      if (this.#error) throw new Error(`The connection broke before the answer: ${this.#error.message}`);
      if (this.#isOver) throw new Error(`The connection ended before the answer, with ${JSON.stringify(this.#received.slice(0, 200))}`);
      await this.#more();
    }
  }

  /** Resolves once the other side has closed. */
  async ended(): Promise<void> {
    while (!this.#isOver && !this.#error) await this.#more();
  }

  close(): void {
    this.#socket.destroy();
  }

  async #more(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    await promise;
  }

  #parsed(): RawAnswer | undefined {
    const end = this.#received.indexOf('\r\n\r\n');
    if (end === -1) return undefined;
    const [statusLine = '', ...lines] = this.#received.slice(0, end).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const status = Number(statusLine.split(' ')[1]);
    if (headers['transfer-encoding'] === 'chunked') {
      const found = chunksIn(this.#received, end + 4);
      if (found) this.#received = this.#received.slice(found.end);
      return found && { status, headers, body: found.body };
    }
    const whole = end + 4 + Number(headers['content-length'] ?? 0);
    if (this.#received.length < whole) return undefined;
    const body = this.#received.slice(end + 4, whole);
    this.#received = this.#received.slice(whole);
    return { status, headers, body };
  }
}

/** All of a body in chunks, and where it ends; undefined where the last one has not come. */
function chunksIn(text: string, start: number): { body: string; end: number } | undefined {
  let body = '';
  for (let at = start; ; ) {
    const sizeEnd = text.indexOf('\r\n', at);
    if (sizeEnd === -1) return undefined;
    const chunkEnd = sizeEnd + 2 + Number.parseInt(text.slice(at, sizeEnd), 16);
    if (text.length < chunkEnd + 2) return undefined;
    if (chunkEnd === sizeEnd + 2) return { body, end: chunkEnd + 2 };
    body += text.slice(sizeEnd + 2, chunkEnd);
    at = chunkEnd + 2;
  }
}
