/** Stands between a client and a service, and does what networks and overloaded services do. */
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const faults = [
  /** The connection is cut before the service hears of the request. */
  'dropped',
  /** The service does it, and its answer is lost. */
  'reset after it was done',
  /** The connection is cut while the service is at it, so that a retry meets the request itself. */
  'reset while it is done',
  /** The answer is cut in the middle. */
  'answer cut',
  /** A proxy loses patience, after the service did it. */
  '504 after it was done',
  '429',
  '503',
  /** No answer until the client gives up, after the service did it. */
  'silent after it was done',
] as const;
export type Fault = (typeof faults)[number];

export interface FaultProxy {
  readonly url: string;
  /** How often each fault came, and `none`. */
  readonly counts: Readonly<Record<string, number>>;
  /** Cuts every connection, whatever goes over it; new ones are taken. */
  cut(): void;
  close(): Promise<void>;
}

/** `choose` says what befalls a request; undefined lets it pass. */
export async function startFaultProxy(target: string, choose: (incoming: IncomingMessage) => Fault | undefined): Promise<FaultProxy> {
  const counts: Record<string, number> = {};
  const server = createServer((incoming, outgoing) => {
    const fault = choose(incoming);
    counts[fault ?? 'none'] = (counts[fault ?? 'none'] ?? 0) + 1;
    serve(target, fault, incoming, outgoing).catch(() => incoming.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    cut: () => server.closeAllConnections(),
    close: () => closed(server),
  };
}

/** Where something listened a moment ago. */
export async function unusedUrl(): Promise<string> {
  const proxy = await startFaultProxy('http://127.0.0.1', () => undefined);
  await proxy.close();
  return proxy.url;
}

async function serve(target: string, fault: Fault | undefined, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const body = await bytesOf(incoming);
  if (fault === 'dropped') return cut(incoming);
  if (fault === '429' || fault === '503') return refuse(outgoing, Number(fault), { 'retry-after': '0' });
  const forwarded = forward(target, incoming, body);
  if (fault === 'reset while it is done') cut(incoming);
  const { status, headers, answer } = await forwarded;
  if (fault === undefined && headers['content-type']?.startsWith('text/event-stream')) {
    outgoing.writeHead(status, headers);
    outgoing.once('close', () => answer.destroy());
    answer.once('error', () => outgoing.destroy()).pipe(outgoing);
    return;
  }
  const text = await bytesOf(answer);
  switch (fault) {
    case 'reset while it is done':
    case 'silent after it was done':
      return;
    case 'reset after it was done':
      return cut(incoming);
    case '504 after it was done':
      return refuse(outgoing, 504, {});
    case 'answer cut':
      outgoing.writeHead(status, { ...headers, 'content-length': text.length + 10 });
      outgoing.write(text, () => cut(incoming));
      return;
    default:
      outgoing.writeHead(status, headers).end(text);
  }
}

function forward(target: string, incoming: IncomingMessage, body: Buffer) {
  return new Promise<{ status: number; headers: Record<string, string>; answer: IncomingMessage }>((resolve, reject) => {
    const { host: _, connection: __, 'transfer-encoding': ___, ...headers } = incoming.headers;
    const sent = request(target + incoming.url, {
      method: incoming.method ?? 'GET',
      headers: { ...headers, 'content-length': body.length },
    });
    sent.once('error', reject);
    sent.once('response', (answer) => {
      const { connection: ____, 'transfer-encoding': _____, ...kept } = answer.headers;
      resolve({ status: answer.statusCode ?? 0, headers: kept as Record<string, string>, answer });
    });
    sent.end(body);
  });
}

async function bytesOf(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function cut(incoming: IncomingMessage): void {
  incoming.socket.resetAndDestroy();
}

function refuse(outgoing: ServerResponse, status: number, headers: Record<string, string>): void {
  outgoing.writeHead(status, { 'content-type': 'text/plain', ...headers }).end('no');
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
