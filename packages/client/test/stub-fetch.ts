/** A `fetch` that answers by a script, and remembers what it was asked. */

export interface SentRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** An answer, or an error that breaks the connection. */
export type Scripted = Response | Error | ((request: SentRequest, signal: AbortSignal) => Response | Promise<Response>);

export interface StubFetch {
  readonly fetch: typeof globalThis.fetch;
  readonly sent: SentRequest[];
}

/** The answers in their order; the last one for whatever comes after. */
export function stubFetch(...script: Scripted[]): StubFetch {
  const sent: SentRequest[] = [];
  const fetch = async (input: unknown, init: RequestInit = {}) => {
    const request: SentRequest = {
      method: init.method ?? 'GET',
      url: new URL(String(input)),
      headers: init.headers as Record<string, string>,
      body: init.body,
    };
    const next = script[Math.min(sent.length, script.length - 1)];
    sent.push(request);
    if (next instanceof Error) throw next;
    if (typeof next === 'function') return next(request, init.signal as AbortSignal);
    return (next as Response).clone();
  };
  return { fetch: fetch as typeof globalThis.fetch, sent };
}

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });
}

/** One that never comes. */
export function never(_request: SentRequest, signal: AbortSignal): Promise<Response> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
}

/** A stream of server-sent events that the test writes; what the service does with it is up to the test. */
export class StubStream {
  readonly #encoder = new TextEncoder();
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** How often the client asked for more. */
  pulls = 0;
  isCancelled = false;

  /** As the answer of a script. */
  readonly answer = (_request: SentRequest, signal?: AbortSignal): Response => {
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => {
          this.pulls++;
        },
        cancel: () => {
          this.isCancelled = true;
        },
      },
      { highWaterMark: 0 },
    );
    signal?.addEventListener('abort', () => this.#end((controller) => controller.error(signal.reason)));
    return new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });
  };

  get isOpen(): boolean {
    return this.#controller !== undefined;
  }

  write(text: string): this {
    this.#controller?.enqueue(this.#encoder.encode(text));
    return this;
  }

  /** The service ends it. */
  end(): void {
    this.#end((controller) => controller.close());
  }

  /** The network does. */
  break(): void {
    this.#end((controller) => controller.error(new TypeError('terminated')));
  }

  #end(end: (controller: ReadableStreamDefaultController<Uint8Array>) => void): void {
    try {
      if (this.#controller) end(this.#controller);
    } catch {
      // It was over already.
    }
    this.#controller = undefined;
  }
}

export const streamed = (id: string, type = 'message.created'): string =>
  `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify({ id, type })}\n\n`;
