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
