/** The part of autocannon that is used; it comes without types. */
declare module 'autocannon' {
  import type { EventEmitter } from 'node:events';

  interface Request {
    method: 'GET' | 'POST';
    path: string;
    body?: string;
    headers?: Readonly<Record<string, string>>;
  }
  interface Options {
    url: string;
    connections: number;
    duration: number;
    sampleInt: number;
    /** Requests a second of all connections together. */
    overallRate?: number;
    headers: Readonly<Record<string, string>>;
    requests: readonly Request[];
    /** Called for each connection before its first request. */
    setupClient?: (client: { setRequests(requests: readonly Request[]): void }) => void;
  }
  interface Result {
    errors: number;
    non2xx: number;
    /** In seconds. */
    duration: number;
  }
  interface Run extends EventEmitter, PromiseLike<Result> {
    on(event: 'response', listener: (client: unknown, status: number, sizeBytes: number, tookMs: number) => void): this;
  }
  function autocannon(options: Options): Run;
  export = autocannon;
}
