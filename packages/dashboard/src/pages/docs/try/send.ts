/** Sends what was filled in, to this service alone. */
import type { Operation } from '../document.ts';
import { queryText } from '../samples/call.ts';

export interface Filled {
  readonly operation: Operation;
  readonly ids: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The header of the key and the key; without one, the sign-in of this browser or nobody. */
  readonly key: readonly [header: string, key: string] | undefined;
  readonly asSignedIn: boolean;
  readonly body: { readonly type: string; readonly text: string } | FormData | undefined;
}

export interface Sent {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly text: string;
  readonly sizeBytes: number;
  readonly tookMs: number;
}

export const addressOf = ({ operation, ids, query }: Pick<Filled, 'operation' | 'ids' | 'query'>): string =>
  operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name]?.trim() ?? '')) + queryText(query);

export async function sendCall(filled: Filled, signal: AbortSignal): Promise<Sent> {
  const { operation, key, body } = filled;
  const headers = new Headers(filled.headers.map(([name, value]): [string, string] => [name, value]));
  if (key) headers.set(...key);
  if (body && !(body instanceof FormData)) headers.set('content-type', body.type);
  const started = performance.now();
  const response = await fetch(addressOf(filled), {
    method: operation.method,
    headers,
    signal,
    cache: 'no-store',
    redirect: 'error',
    // With a key, or as nobody, the sign-in of this browser stays out of it, and no answer can change it.
    credentials: filled.asSignedIn ? 'same-origin' : 'omit',
    body: body === undefined ? null : body instanceof FormData ? body : body.text,
  });
  const bytes = await response.arrayBuffer();
  const type = response.headers.get('content-type') ?? '';
  return {
    status: response.status,
    headers: [...response.headers],
    text: readText(new TextDecoder().decode(bytes), type),
    sizeBytes: bytes.byteLength,
    tookMs: performance.now() - started,
  };
}

function readText(text: string, type: string): string {
  if (!/json/.test(type)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // As it came: a broken body is what the visitor needs to see.
    return text;
  }
}
