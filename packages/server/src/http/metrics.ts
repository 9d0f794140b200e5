/** Prometheus metrics of this process: requests, the database, whatever else registers here. */
import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Database } from '../db/database.ts';
import { readThreadDelays } from '../threads/delays.ts';

export class Metrics {
  readonly registry = new Registry();

  constructor(
    db: Database,
    collected: Readonly<
      Record<'jobs' | 'search' | 'extraction' | 'requests' | 'refused' | 'eventLoop' | 'blocked', () => Promise<Record<string, number>>>
    >,
  ) {
    const registers = [this.registry];
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
    const requests = new Gauge({
      name: 'commonplace_http_requests',
      help: 'Requests now: in flight, waiting for their turn, and of how many callers.',
      labelNames: ['what'],
      registers,
      collect: async () => {
        for (const [what, value] of Object.entries(await collected.requests())) requests.set({ what }, value);
      },
    });
    const refused = new Counter({
      name: 'commonplace_http_refused_total',
      help: 'Requests refused by a limit: too many a second (rate), too many at once (in_flight), a quota of the workspace (quota_…).',
      labelNames: ['reason'],
      registers,
      collect: async () => {
        refused.reset();
        for (const [reason, value] of Object.entries(await collected.refused())) refused.inc({ reason }, value);
      },
    });
    const eventLoop = new Gauge({
      name: 'commonplace_event_loop_delay_seconds',
      help: 'How late the event loop is: at last, and since the last scrape the most and the 99th percentile.',
      labelNames: ['what'],
      registers,
      collect: async () => {
        for (const [what, value] of Object.entries(await collected.eventLoop())) eventLoop.set({ what }, value);
      },
    });
    const blocked = new Counter({
      name: 'commonplace_event_loop_blocked_total',
      help: 'How often the main thread computed for more than 200 ms without a pause.',
      registers,
      collect: async () => {
        blocked.reset();
        blocked.inc((await collected.blocked()).total ?? 0);
      },
    });
    collectDefaultMetrics({ register: this.registry, prefix: 'commonplace_' });
  }

  serve(server: FastifyInstance): void {
    server.requestMetrics.register(this.registry);
    // Whoever asks while they are being collected gets the same: collecting asks the database.
    let collecting: Promise<string> | undefined;
    server.get('/metrics', async (_request, reply) => {
      collecting ??= this.registry.metrics().finally(() => {
        collecting = undefined;
      });
      return reply.type(this.registry.contentType).send(await collecting);
    });
  }
}
