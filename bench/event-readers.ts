/** Many who follow the events of a workspace: a program of its own, so that the service has its processor to itself. */
import { get, type IncomingMessage } from 'node:http';

export interface Reading {
  readonly sessionId?: string;
  /** Connects and never reads what comes. */
  readonly isStuck?: true;
  /** Ends its connection in the middle, and comes again with the last id. */
  readonly comesAgain?: true;
}

export type ReadersRequest =
  | {
      readonly kind: 'open';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly readings: readonly Reading[];
    }
  | { readonly kind: 'come again' }
  /** How many each is to have seen: of a session, and of all. */
  | { readonly kind: 'finish'; readonly ofSession: Readonly<Record<string, number>>; readonly all: number; readonly withinMs: number };

export interface ReadersReply {
  readonly missed: number;
  readonly twice: number;
  readonly outOfOrder: number;
  readonly seen: number;
  /** From the write to the reader. */
  readonly delaysMs: readonly number[];
}

const SAMPLED = 20;

class Reader {
  readonly reading: Reading;
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly seen = new Set<string>();
  twice = 0;
  outOfOrder = 0;
  readonly delaysMs: number[] = [];
  readonly #lastOf = new Map<string, number>();
  #lastId: string | undefined;
  #response: IncomingMessage | undefined;
  #rest = '';

  constructor(url: string, headers: Readonly<Record<string, string>>, reading: Reading) {
    this.#url = `${url}?types=message.created${reading.sessionId ? `&sessionId=${reading.sessionId}` : ''}`;
    this.#headers = headers;
    this.reading = reading;
  }

  connect(): Promise<void> {
    const again = this.#lastId === undefined ? {} : { 'last-event-id': this.#lastId };
    return new Promise((resolve, reject) => {
      get(this.#url, { headers: { ...this.#headers, accept: 'text/event-stream', ...again }, agent: false }, (response) => {
        if (response.statusCode !== 200) return reject(new Error(`Refused with ${response.statusCode}`));
        this.#response = response;
        this.#rest = '';
        response.setEncoding('utf8');
        response.on('error', () => undefined);
        if (this.reading.isStuck) response.pause();
        else response.on('data', (text: string) => this.#read(text));
        resolve();
      }).on('error', reject);
    });
  }

  close(): void {
    this.#response?.destroy();
  }

  #read(text: string): void {
    const parts = (this.#rest + text).split('\n\n');
    this.#rest = parts.pop() as string;
    for (const part of parts) this.#take(part);
  }

  #take(part: string): void {
    const data = part.indexOf('\ndata: ');
    if (data === -1) return;
    const event = JSON.parse(part.slice(data + 7)) as {
      id: string;
      createdAt: string;
      sessionId: string;
      data: { message: { id: string; content: string } };
    };
    this.#lastId = event.id;
    const { message } = event.data;
    if (this.seen.has(message.id)) this.twice++;
    this.seen.add(message.id);
    const number = Number(message.content.split(' ').at(-1));
    if (number <= (this.#lastOf.get(event.sessionId) ?? -1)) this.outOfOrder++;
    this.#lastOf.set(event.sessionId, number);
    if (this.seen.size % SAMPLED === 0) this.delaysMs.push(Date.now() - Date.parse(event.createdAt));
  }
}

let readers: Reader[] = [];

async function answer(request: ReadersRequest): Promise<ReadersReply | 'done'> {
  if (request.kind === 'open') {
    readers = request.readings.map((reading) => new Reader(request.url, request.headers, reading));
    for (let start = 0; start < readers.length; start += 50)
      await Promise.all(readers.slice(start, start + 50).map((reader) => reader.connect()));
    return 'done';
  }
  if (request.kind === 'come again') {
    const coming = readers.filter(({ reading }) => reading.comesAgain);
    for (const reader of coming) reader.close();
    for (const reader of coming) await reader.connect();
    return 'done';
  }
  const reading = readers.filter(({ reading: { isStuck } }) => !isStuck);
  const expected = ({ reading: { sessionId } }: Reader) => (sessionId ? (request.ofSession[sessionId] ?? 0) : request.all);
  const untilMs = Date.now() + request.withinMs;
  while (Date.now() < untilMs && reading.some((reader) => reader.seen.size < expected(reader)))
    await new Promise((resolve) => setTimeout(resolve, 50));
  for (const reader of readers) reader.close();
  const sum = (of: (reader: Reader) => number) => reading.reduce((total, reader) => total + of(reader), 0);
  return {
    missed: sum((reader) => expected(reader) - reader.seen.size),
    twice: sum(({ twice }) => twice),
    outOfOrder: sum(({ outOfOrder }) => outOfOrder),
    seen: sum(({ seen }) => seen.size),
    delaysMs: reading.flatMap(({ delaysMs }) => delaysMs),
  };
}

process.on('message', (request: ReadersRequest) => {
  void answer(request).then((reply) => process.send?.(reply));
});
process.send?.('ready');
