/** A connection that sends any bytes, and reads what HTTP answers come back. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Answer {
  readonly status: number;
  readonly head: string;
  readonly body: Buffer;
}

/** What became of the requests that were sent: answers in order, and how it ended. */
export interface Exchange {
  readonly answers: readonly Answer[];
  /** `answered`: all are there. `closed`: the service hung up before. `hangs`: neither happened in time. */
  readonly end: 'answered' | 'closed' | 'hangs';
}

export interface Sending {
  /** Written one after the other, with a short rest between two of them. */
  readonly pieces: readonly Buffer[];
  /** For each request that is in the pieces, its method: an answer to HEAD has no body. */
  readonly methods: readonly string[];
}

const REST_MS = 2;

export class Connection {
  readonly #socket: Socket;
  #received: Buffer[] = [];
  #isClosed = false;
  #onChange: () => void = () => undefined;

  constructor(port: number) {
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.on('data', (bytes: Buffer) => {
      this.#received.push(bytes);
      this.#onChange();
    });
    // What went wrong shows in what came, and in that it is closed.
    this.#socket.on('error', () => undefined);
    this.#socket.on('close', () => {
      this.#isClosed = true;
      this.#onChange();
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  async exchange({ pieces, methods }: Sending, withinMs: number): Promise<Exchange> {
    const answers: Answer[] = [];
    const ended = Promise.withResolvers<Exchange['end']>();
    const timer = setTimeout(() => ended.resolve('hangs'), withinMs);
    this.#onChange = () => {
      while (answers.length < methods.length) {
        const answer = this.#takeAnswer(methods[answers.length] as string);
        if (!answer) break;
        answers.push(answer);
      }
      if (answers.length === methods.length) ended.resolve('answered');
      else if (this.#isClosed) ended.resolve('closed');
    };
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) await sleep(REST_MS);
      if (this.#isClosed) break;
      this.#socket.write(piece);
    }
    this.#onChange();
    const end = await ended.promise;
    clearTimeout(timer);
    this.#onChange = () => undefined;
    return { answers, end };
  }

  /** The next whole answer that has come; those that only say "go on" are left out. */
  #takeAnswer(method: string): Answer | undefined {
    if (this.#received.length === 0) return undefined;
    const bytes = this.#received.length === 1 ? (this.#received[0] as Buffer) : Buffer.concat(this.#received);
    this.#received = [bytes];
    const headEnd = bytes.indexOf('\r\n\r\n');
    if (headEnd < 0) return undefined;
    const head = bytes.toString('latin1', 0, headEnd);
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1] ?? 0);
    const bodyStart = headEnd + 4;
    if (status >= 100 && status < 200) {
      this.#keep(bytes, bodyStart);
      return this.#takeAnswer(method);
    }
    const bodyEnd = method === 'HEAD' || status === 204 || status === 304 ? bodyStart : endOfBody(bytes, bodyStart, head, this.#isClosed);
    if (bodyEnd === undefined) return undefined;
    this.#keep(bytes, bodyEnd);
    return { status, head, body: bytes.subarray(bodyStart, bodyEnd) };
  }

  #keep(bytes: Buffer, from: number): void {
    this.#received = from < bytes.length ? [bytes.subarray(from)] : [];
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

function endOfBody(bytes: Buffer, start: number, head: string, isClosed: boolean): number | undefined {
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (length !== undefined) {
    const end = start + Number(length);
    return end <= bytes.length ? end : undefined;
  }
  if (!/\r\ntransfer-encoding: chunked/i.test(head)) return isClosed ? bytes.length : undefined;
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    at = lineEnd + 2 + size + 2;
    if (at > bytes.length) return undefined;
    if (size === 0) return at;
  }
}
