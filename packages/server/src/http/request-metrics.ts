/** How many requests each route answered, and how fast: plain numbers, which become Prometheus's when somebody asks. */
import type { Metric, Registry } from 'prom-client';

const LATENCY_BUCKETS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** Of one method and one route. */
export class RouteMetrics {
  readonly method: string;
  readonly route: string;
  readonly byStatus = new Map<number, number>();
  /** How many were in each bucket and in none below it; the last is for what took longer than all of them. */
  readonly #inBucket = new Float64Array(LATENCY_BUCKETS_SECONDS.length + 1);
  #total = 0;
  #seconds = 0;

  constructor(method: string, route: string) {
    this.method = method;
    this.route = route;
  }

  count(status: number, seconds: number): void {
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1);
    this.#total++;
    this.#seconds += seconds;
    let bucket = 0;
    while (bucket < LATENCY_BUCKETS_SECONDS.length && seconds > (LATENCY_BUCKETS_SECONDS[bucket] as number)) bucket++;
    (this.#inBucket[bucket] as number)++;
  }

  /** The lines of a histogram: each bucket counts what is in those below it too. */
  latencies(name: string): MetricValue[] {
    const labels = { method: this.method, route: this.route };
    let upTo = 0;
    const buckets = LATENCY_BUCKETS_SECONDS.map((le, bucket) => {
      upTo += this.#inBucket[bucket] as number;
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: upTo };
    });
    return [
      ...buckets,
      { metricName: `${name}_bucket`, labels: { le: '+Inf', ...labels }, value: this.#total },
      { metricName: `${name}_sum`, labels, value: this.#seconds },
      { metricName: `${name}_count`, labels, value: this.#total },
    ];
  }
}

interface MetricValue {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

export class RequestMetrics {
  readonly #routes = new Map<string, RouteMetrics>();

  /** `route` is a pattern, never a path: ids would make a series each. */
  of(method: string, route: string): RouteMetrics {
    const name = `${method} ${route}`;
    const known = this.#routes.get(name);
    if (known) return known;
    const made = new RouteMetrics(method, route);
    this.#routes.set(name, made);
    return made;
  }

  register(registry: Registry): void {
    registerValues(registry, 'counter', 'commonplace_http_requests_total', 'Requests answered.', () =>
      this.#answered().flatMap(({ method, route, byStatus }) =>
        [...byStatus].map(([status, value]) => ({ labels: { method, route, status }, value })),
      ),
    );
    const name = 'commonplace_http_request_duration_seconds';
    registerValues(registry, 'histogram', name, 'Time from the arrival of a request to the end of its answer.', () =>
      this.#answered().flatMap((route) => route.latencies(name)),
    );
  }

  /** A route that nobody called has no series. */
  #answered(): RouteMetrics[] {
    return [...this.#routes.values()].filter(({ byStatus }) => byStatus.size > 0);
  }
}

/** The library's own metrics count by themselves; a registry takes whatever can say its values. */
function registerValues(registry: Registry, type: 'counter' | 'histogram', name: string, help: string, read: () => MetricValue[]): void {
  const get = async () => ({ name, help, type, aggregator: 'sum', values: read() });
  registry.registerMetric({ name, help, type, aggregator: 'sum', get, reset: () => undefined } as unknown as Metric);
}
