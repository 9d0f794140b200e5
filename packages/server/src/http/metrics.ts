/** Prometheus metrics of this process: requests, the database, whatever else registers here. */
import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Database } from '../db/database.ts';
import { readThreadDelays } from '../threads/delays.ts';

const LATENCY_BUCKETS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

export class Metrics {
  readonly registry = new Registry();
  readonly #requests: Counter<'method' | 'route' | 'status'>;
  readonly #latency: Histogram<'method' | 'route'>;
  readonly #series = new Map<string, { count: () => void; observe: (seconds: number) => void }>();

  constructor(db: Database, collected: Readonly<Record<'jobs' | 'search' | 'extraction', () => Promise<Record<string, number>>>>) {
    const registers = [this.registry];
    this.#requests = new Counter({
      name: 'commonplace_http_requests_total',
      help: 'Requests answered.',
      labelNames: ['method', 'route', 'status'],
      registers,
    });
    this.#latency = new Histogram({
      name: 'commonplace_http_request_duration_seconds',
      help: 'Time from the arrival of a request to the end of its answer.',
      labelNames: ['method', 'route'],
      buckets: LATENCY_BUCKETS_SECONDS,
      registers,
    });
    const database = new Gauge({
      name: 'commonplace_database',
      help: 'The database: queue, commits, connections.',
      labelNames: ['engine', 'what'],
      registers,
      collect: () => {
        for (const [what, value] of Object.entries(db.gauges())) database.set({ engine: db.engine, what }, value);
      },
    });
    const jobs = new Gauge({
      name: 'commonplace_jobs',
      help: 'Background jobs: waiting, due, running, failed, and the age of the oldest that is due.',
      labelNames: ['what'],
      registers,
      collect: async () => {
        for (const [what, value] of Object.entries(await collected.jobs())) jobs.set({ what }, value);
      },
    });
    const search = new Gauge({
      name: 'commonplace_search',
      help: 'Search: the indexes in memory, the embedder, what was embedded in the background.',
      labelNames: ['what'],
      registers,
      collect: async () => {
        for (const [what, value] of Object.entries(await collected.search())) search.set({ what }, value);
      },
    });
    const extraction = new Gauge({
      name: 'commonplace_extraction',
      help: 'Memories: messages looked at, statements left out as secrets, and how often the built-in extractor stood in for the model.',
      labelNames: ['what'],
      registers,
      collect: async () => {
        for (const [what, value] of Object.entries(await collected.extraction())) extraction.set({ what }, value);
      },
    });
    const delays = new Gauge({
      name: 'commonplace_thread_delay_seconds',
      help: 'How long a thread has been held by what it does now, and the longest since it was last asked; of threads that do the same, the worst.',
      labelNames: ['thread', 'what'],
      registers,
      collect: () => {
        for (const [thread, { nowSeconds, longestSeconds }] of readThreadDelays()) {
          delays.set({ thread, what: 'now' }, nowSeconds);
          delays.set({ thread, what: 'longest' }, longestSeconds);
        }
      },
    });
    collectDefaultMetrics({ register: this.registry, prefix: 'commonplace_' });
  }

  observe(method: string, route: string, status: number, seconds: number): void {
    const name = `${method} ${route} ${status}`;
    let series = this.#series.get(name);
    if (!series) {
      const counter = this.#requests.labels(method, route, String(status));
      const histogram = this.#latency.labels(method, route);
      series = { count: () => counter.inc(), observe: (value) => histogram.observe(value) };
      this.#series.set(name, series);
    }
    series.count();
    series.observe(seconds);
  }

  serve(server: FastifyInstance): void {
    server.addHook('onResponse', (request, reply, done) => {
      // The pattern, never the path: ids would make a series each.
      this.observe(request.method, request.routeOptions.url ?? 'unknown', reply.statusCode, reply.elapsedTime / 1000);
      done();
    });
    server.get('/metrics', async (_request, reply) => reply.type(this.registry.contentType).send(await this.registry.metrics()));
  }
}
