/** Somebody who receives webhooks, on loopback, and writes down what came. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Event } from '@commonplace/contract/events';

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly event: Event;
  /** What was answered; nothing where it was left hanging. */
  readonly status: number | undefined;
}

export interface Receiver {
  url(path: string): string;
  /** What came to a path, in its order. */
  received(path: string): readonly Received[];
  /** The next answers to a path; 200 after them, and `undefined` for none at all. */
  answerWith(path: string, statuses: readonly (number | undefined)[]): void;
  /** What is answered to a request for which nothing else was said. */
  decide(path: string, status: (received: Omit<Received, 'status'>) => number | undefined): void;
  /** Answers those that were left hanging. */
  answerHanging(status: number): void;
  close(): Promise<void>;
}

export async function openReceiver(): Promise<Receiver> {
  const received = new Map<string, Received[]>();
  const answers = new Map<string, (number | undefined)[]>();
  const deciders = new Map<string, (received: Omit<Received, 'status'>) => number | undefined>();
  const hanging: ServerResponse[] = [];
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      // Its sender was gone before all of it was said.
      return;
    }
    const body = Buffer.concat(chunks).toString();
    const came = { headers: request.headers, body, event: JSON.parse(body) as Event };
    const queued = answers.get(path);
    const decide = deciders.get(path);
    const status = queued && queued.length > 0 ? queued.shift() : decide ? decide(came) : 200;
    const all = received.get(path) ?? [];
    received.set(path, all);
    all.push({ ...came, status });
    if (status === undefined) hanging.push(response);
    else response.writeHead(status, status >= 300 && status < 400 ? { location: '/elsewhere' } : {}).end('ok');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: (path) => `http://127.0.0.1:${port}${path}`,
    received: (path) => received.get(path) ?? [],
    answerWith: (path, statuses) => answers.set(path, [...statuses]),
    decide: (path, status) => deciders.set(path, status),
    answerHanging: (status) => {
      for (const response of hanging.splice(0)) response.writeHead(status).end();
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
