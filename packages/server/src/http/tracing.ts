/** OpenTelemetry traces: a span for each request, a span for each database call inside it. Nothing of it is loaded without an endpoint. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Attributes, Context, Span, TextMapPropagator, Tracer } from '@opentelemetry/api';
import type { TracerProvider } from '@opentelemetry/sdk-trace';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { withoutSecrets } from '../auth/secrets.ts';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { BatchRows, Database, Queryable, Transaction } from '../db/database.ts';
import type { EngineName, Sql } from '../db/sql.ts';
import { AppError } from '../errors.ts';

const FLUSH_TIMEOUT_MS = 3000;
const WARN_EVERY_MS = 60_000;
/** With the limit on the length of a value, what bounds the memory: past it spans are dropped, and a warning counts them. */
const MAX_QUEUED_SPANS = 4096;
const MAX_BATCH_SPANS = 512;
/** All that may be queued, sent at once by the last flush, and the batch that was under way before it. */
const MAX_BATCHES_IN_FLIGHT = MAX_QUEUED_SPANS / MAX_BATCH_SPANS + 1;
const MAX_VALUE_LENGTH = 4096;

const systemNames: Record<EngineName, string> = { sqlite: 'sqlite', postgres: 'postgresql' };

/** Undefined where no endpoint is set. The exporter itself reads the standard OTEL_EXPORTER_OTLP_ HEADERS, TIMEOUT, COMPRESSION and CERTIFICATE. */
export async function startTracing(config: Pick<Config, 'tracesUrl'>, log: Logger): Promise<Tracing | undefined> {
  if (config.tracesUrl === undefined) return undefined;
  const [api, core, { OTLPTraceExporter }, resources, sdk] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/core'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace'),
  ]);
  const warn = rareWarnings(log);
  const complain = (message: string) => warn({ reason: message }, 'tracing');
  api.diag.setLogger(
    { error: complain, warn: complain, info: () => {}, debug: () => {}, verbose: () => {} },
    { logLevel: api.DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const exporter = new OTLPTraceExporter({ url: `${config.tracesUrl}/v1/traces`, concurrencyLimit: MAX_BATCHES_IN_FLIGHT });
  const provider = new sdk.TracerProvider({
    resource: resources
      .defaultResource()
      .merge(resources.resourceFromAttributes({ 'service.name': 'commonplace' }))
      .merge(resources.detectResources({ detectors: [resources.resourceAttributesEnvDetector, resources.serviceNameEnvDetector] })),
    spanLimits: { attributeValueLengthLimit: MAX_VALUE_LENGTH },
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter: {
          export: (spans, done) =>
            exporter.export(spans, ({ error }) => {
              if (error) warn({ reason: reasonOf(error), spans: spans.length }, 'traces are lost');
              // Said once is enough: a failure would come back by way of the process-wide error handler.
              done({ code: core.ExportResultCode.SUCCESS });
            }),
          shutdown: () => exporter.shutdown(),
        },
        maxQueueSize: MAX_QUEUED_SPANS,
        maxExportBatchSize: MAX_BATCH_SPANS,
      }),
    ],
  });
  return new Tracing(api, provider, new core.W3CTraceContextPropagator(), warn);
}

export class Tracing {
  readonly #api: typeof import('@opentelemetry/api');
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;
  readonly #propagator: TextMapPropagator;
  readonly #warn: Warn;
  readonly #current = new AsyncLocalStorage<Context>();

  constructor(api: typeof import('@opentelemetry/api'), provider: TracerProvider, propagator: TextMapPropagator, warn: Warn) {
    this.#api = api;
    this.#provider = provider;
    this.#tracer = provider.getTracer('commonplace');
    this.#propagator = propagator;
    this.#warn = warn;
  }

  /** Before the first route is declared, so that every route has the hooks. */
  instrument(server: FastifyInstance): void {
    server.addHook('onRequest', (request, reply, done) => {
      const { trace, ROOT_CONTEXT, TraceFlags, defaultTextMapGetter } = this.#api;
      const parent = this.#propagator.extract(ROOT_CONTEXT, request.headers, defaultTextMapGetter);
      const caller = trace.getSpanContext(parent);
      // The sampler would say no too, once a span was made for it to refuse.
      if (caller && !(caller.traceFlags & TraceFlags.SAMPLED)) return done();
      const span = this.#startRequestSpan(request, parent);
      // Comes after an answer and after a caller that hung up; Fastify's onResponse comes only after the first.
      reply.raw.once('close', () => this.#endRequestSpan(span, reply));
      // Fastify carries this over to the handler, past the reading of a body.
      this.#current.run(trace.setSpan(parent, span), done);
    });
  }

  wrapDatabase(db: Database): Database {
    return new TracedDatabase(db, this);
  }

  /** A span around a database call. Outside a request there is none: the polling of jobs would be a trace each. */
  async aroundCall<T>(describe: () => { name: string; attributes: Attributes }, call: () => Promise<T>): Promise<T> {
    const { trace, SpanKind, SpanStatusCode } = this.#api;
    const context = this.#current.getStore();
    // A span that has ended no longer records: a timer which some request happened to start is not of that request.
    if (!context || !trace.getSpan(context)?.isRecording()) return call();
    const { name, attributes } = describe();
    const span = this.#tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, context);
    try {
      return await this.#current.run(trace.setSpan(context, span), call);
    } catch (error) {
      // The name only: a database's message may quote what was bound. An AppError is an answer ("not found"), not a failure.
      if (!(error instanceof AppError)) {
        span.setAttribute('error.type', error instanceof Error ? error.name : typeof error).setStatus({ code: SpanStatusCode.ERROR });
      }
      throw error;
    } finally {
      span.end();
    }
  }

  /** Sends what is queued, and gives up after three seconds. */
  async shutdown(): Promise<void> {
    const { promise: tooLate, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error(`not flushed within ${FLUSH_TIMEOUT_MS} ms`)), FLUSH_TIMEOUT_MS);
    try {
      await Promise.race([this.#provider.shutdown(), tooLate]);
    } catch (error) {
      this.#warn({ reason: reasonOf(error) }, 'the last traces may be lost');
    } finally {
      clearTimeout(timer);
    }
  }

  #startRequestSpan(request: FastifyRequest, parent: Context): Span {
    const route = request.routeOptions.url;
    const attributes: Attributes = {
      'http.request.method': request.method,
      'url.path': pathOf(request.url),
      'url.scheme': request.protocol,
      'client.address': request.ip,
      'commonplace.request_id': request.id,
    };
    if (route !== undefined) attributes['http.route'] = route;
    return this.#tracer.startSpan(
      route === undefined ? request.method : `${request.method} ${route}`,
      { kind: this.#api.SpanKind.SERVER, attributes },
      parent,
    );
  }

  #endRequestSpan(span: Span, reply: FastifyReply): void {
    const { statusCode, writableEnded } = reply.raw;
    if (!writableEnded) span.setAttribute('error.type', 'caller_hung_up');
    else if (statusCode < 500) span.setAttribute('http.response.status_code', statusCode);
    else {
      span.setAttributes({ 'http.response.status_code': statusCode, 'error.type': String(statusCode) });
      span.setStatus({ code: this.#api.SpanStatusCode.ERROR });
    }
    span.end();
  }
}

class TracedQueries<Inner extends Queryable> implements Queryable {
  readonly engine: EngineName;
  protected readonly inner: Inner;
  protected readonly tracing: Tracing;

  constructor(inner: Inner, tracing: Tracing) {
    this.engine = inner.engine;
    this.inner = inner;
    this.tracing = tracing;
  }

  query<Row>(statement: Sql<Row>): Promise<Row[]> {
    return this.#around(statement, () => this.inner.query(statement));
  }

  one<Row>(statement: Sql<Row>): Promise<Row> {
    return this.#around(statement, () => this.inner.one(statement));
  }

  maybeOne<Row>(statement: Sql<Row>): Promise<Row | undefined> {
    return this.#around(statement, () => this.inner.maybeOne(statement));
  }

  run(statement: Sql): Promise<number> {
    return this.#around(statement, () => this.inner.run(statement));
  }

  batch<const Statements extends readonly Sql[]>(statements: Statements): Promise<BatchRows<Statements>> {
    const describe = () => {
      const text = shortened(statements.map((statement) => statement.text(this.engine).trim()).join(';\n'));
      return { name: 'batch', attributes: this.attributes({ 'db.query.text': text, 'db.operation.batch.size': statements.length }) };
    };
    return this.tracing.aroundCall(describe, () => this.inner.batch(statements));
  }

  protected attributes(more: Attributes): Attributes {
    return { 'db.system.name': systemNames[this.engine], ...more };
  }

  #around<T>(statement: Sql, call: () => Promise<T>): Promise<T> {
    const describe = () => {
      const text = statement.text(this.engine).trim();
      const summary = summaryOf(text);
      return { name: summary, attributes: this.attributes({ 'db.query.summary': summary, 'db.query.text': shortened(text) }) };
    };
    return this.tracing.aroundCall(describe, call);
  }
}

class TracedDatabase extends TracedQueries<Database> implements Database {
  get clock(): Clock {
    return this.inner.clock;
  }

  get isDistributed(): boolean {
    return this.inner.isDistributed;
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const describe = () => ({ name: 'transaction', attributes: this.attributes({}) });
    return this.tracing.aroundCall(describe, () =>
      // Bound: the engine may begin the work from its queue, in the context of whoever was there before.
      this.inner.transaction(AsyncLocalStorage.bind((tx: Transaction) => work(new TracedQueries(tx, this.tracing)))),
    );
  }

  listen(topic: string, listener: (payload: string) => void): void {
    this.inner.listen(topic, listener);
  }

  trustsBroadcasts(): boolean {
    return this.inner.trustsBroadcasts();
  }

  eraseDeleted(): Promise<void> {
    return this.inner.eraseDeleted();
  }
  ping(): Promise<void> {
    return this.inner.ping();
  }

  describe(): Promise<string> {
    return this.inner.describe();
  }

  gauges(): Record<string, number> {
    return this.inner.gauges();
  }

  close(): Promise<void> {
    return this.inner.close();
  }
}

/** Without the query, which may hold what a person searched for, and without the token of an invite. */
function pathOf(url: string): string {
  return withoutSecrets(url.split('?', 1)[0] as string);
}

/** `select memories`: few enough to group by. */
function summaryOf(text: string): string {
  const verb = /^\w+/.exec(text)?.[0].toLowerCase() ?? 'statement';
  const table = /\b(?:from|into|update)\s+"?(\w+)/i.exec(text)?.[1];
  return table === undefined ? verb : `${verb} ${table}`;
}

/** As a copy: a slice of a long string keeps all of it in memory. */
function shortened(text: string): string {
  return text.length <= MAX_VALUE_LENGTH ? text : Buffer.from(text.slice(0, MAX_VALUE_LENGTH)).toString();
}

type Warn = (fields: { reason: string; spans?: number }, message: string) => void;

/** A collector that is away stays away for a while: one line a minute says so, and how many it stands for. */
function rareWarnings(log: Logger): Warn {
  let quietUntilMs = 0;
  let unsaid = 0;
  return (fields, message) => {
    const nowMs = performance.now();
    if (nowMs < quietUntilMs) {
      unsaid++;
      return;
    }
    log.warn({ ...fields, reason: fields.reason.slice(0, 300), unsaid }, message);
    quietUntilMs = nowMs + WARN_EVERY_MS;
    unsaid = 0;
  };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : 'unknown';
  // A refused connection to a name with two addresses has a code and no message.
  const code = 'code' in error && error.code !== undefined ? String(error.code) : '';
  return [code, error.message].filter(Boolean).join(' ') || error.name;
}
