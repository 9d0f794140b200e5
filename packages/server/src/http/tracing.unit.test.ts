import { createServer, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import Fastify, { type FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { newSecret } from '../auth/secrets.ts';
import type { Database } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { insertNote, openForTest } from '../db/sqlite/open-for-test.ts';
import { notFound } from '../errors.ts';
import { startTracing, type Tracing } from './tracing.ts';

interface SentSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: { key: string; value: Record<string, unknown> }[];
  events: unknown[];
  status: { code: number; message?: string };
}

interface SentBody {
  resourceSpans: { resource: Pick<SentSpan, 'attributes'>; scopeSpans: { spans: SentSpan[] }[] }[];
}

const SERVER = 2;
const CLIENT = 3;
const ERROR = 2;
const CALLER = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const TRACEPARENT = `00-${CALLER.traceId}-${CALLER.spanId}-01`;

afterEach(() => vi.unstubAllEnvs());

/** A collector that keeps what it is sent. */
async function openCollector(...answers: (number | 'never')[]) {
  const requests: { path: string | undefined; headers: IncomingHttpHeaders; text: string }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    requests.push({ path: request.url, headers: request.headers, text: Buffer.concat(chunks).toString() });
    const answer = answers[Math.min(requests.length, answers.length) - 1] ?? 200;
    if (answer !== 'never') response.writeHead(answer, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const bodies = () => requests.map(({ text }) => JSON.parse(text) as SentBody);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    bodies,
    spans: () =>
      bodies().flatMap(({ resourceSpans }) => resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))),
  };
}

function keptLog() {
  const lines: { level: number; msg: string; reason?: string }[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { log, warnings: () => lines.filter(({ level }) => level >= 40) };
}

async function startFor(tracesUrl: string, log = pino({ level: 'silent' })): Promise<Tracing> {
  const tracing = await startTracing({ tracesUrl }, log);
  if (!tracing) throw new Error('no tracing');
  return tracing;
}

interface Served {
  server: FastifyInstance;
  inner: Database;
  db: Database;
}

/** A server with the routes that `declare` puts on it, over a traced database. */
async function serve(tracing: Tracing, declare: (server: FastifyInstance, db: Database) => void): Promise<Served> {
  const inner = await openForTest();
  const db = tracing.wrapDatabase(inner);
  const server = Fastify({ genReqId: () => 'request-1' });
  tracing.instrument(server);
  declare(server, db);
  onTestFinished(() => server.close());
  return { server, inner, db };
}

const valuesOf = ({ attributes }: Pick<SentSpan, 'attributes'>) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

const named = (spans: SentSpan[], name: string): SentSpan => {
  const found = spans.filter((span) => span.name === name);
  expect(found, `spans called ${name} among ${spans.map((span) => span.name).join(', ')}`).toHaveLength(1);
  return found[0] as SentSpan;
};

test('without an endpoint there is no tracing', async () => {
  expect(await startTracing({ tracesUrl: undefined }, pino({ level: 'silent' }))).toBeUndefined();
});

test('a request is a server span, a child of the traceparent it came with', async () => {
  const collector = await openCollector();
  const tracing = await startFor(collector.url);
  const { server } = await serve(tracing, (app) => app.get('/things/:thingId', async () => ({ ok: true })));
  await server.inject({ url: '/things/7?q=secret-search', headers: { traceparent: TRACEPARENT } });
  await tracing.shutdown();
  expect(collector.requests.map(({ path }) => path)).toEqual(['/v1/traces']);
  const span = named(collector.spans(), 'GET /things/:thingId');
  expect(span).toMatchObject({ kind: SERVER, traceId: CALLER.traceId, parentSpanId: CALLER.spanId });
  expect(span.status.code).not.toBe(ERROR);
  expect(valuesOf(span)).toEqual({
    'http.request.method': 'GET',
    'http.route': '/things/:thingId',
    'http.response.status_code': 200,
    'url.path': '/things/7',
    'url.scheme': 'http',
    'client.address': '127.0.0.1',
    'commonplace.request_id': 'request-1',
  });
  expect(collector.requests[0]?.text).not.toContain('secret-search');
});

test('a request over a real connection is traced, and so are its database calls after its body was read', async () => {
  const collector = await openCollector();
  const tracing = await startFor(collector.url);
  const { server } = await serve(tracing, (app, db) =>
    app.post('/notes', async (request) => db.run(insertNote('a', (request.body as { body: string }).body))),
  );
  const address = await server.listen({ host: '127.0.0.1', port: 0 });
  const inTwoParts = new ReadableStream({
    async start(parts) {
      parts.enqueue(Buffer.from('{"body":'));
      await delay(50);
      parts.enqueue(Buffer.from('"x"}'));
      parts.close();
    },
  });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${address}/notes`, { method: 'POST', headers, body: inTwoParts, duplex: 'half' });
  expect(answer.status).toBe(200);
  await server.close();
  await tracing.shutdown();
  const request = named(collector.spans(), 'POST /notes');
  expect(named(collector.spans(), 'insert notes')).toMatchObject({ parentSpanId: request.spanId, traceId: request.traceId });
});

test('each call of the database is a client span with the text of its statement and none of its parameters', async () => {
  const collector = await openCollector();
  const tracing = await startFor(collector.url);
  const { server } = await serve(tracing, (app, db) =>
    app.get('/all', async () => {
      await db.run(insertNote('secret-id', 'secret-body'));
      await db.query(sql`select id from notes where body = ${'secret-body'}`);
      await db.one(sql`select count(*) as n from notes as counted where id = ${'secret-id'}`);
      await db.maybeOne(sql`select body from tags, notes where id = ${'secret-id'}`);
      await db.batch([insertNote('secret-b'), sql`delete from notes where id = ${'secret-b'}`]);
      return db.transaction(async (tx) => {
        await tx.run(sql`update notes set body = ${'secret-new'} where id = ${'secret-id'}`);
        return { ok: true };
      });
    }),
  );
  expect((await server.inject('/all')).statusCode).toBe(200);
  await tracing.shutdown();
  const spans = collector.spans();
  const request = named(spans, 'GET /all');
  const calls = spans.filter(({ kind }) => kind === CLIENT);
  expect(calls.map(({ name }) => name).sort()).toEqual([
    'batch',
    'insert notes',
    'select notes',
    'select notes',
    'select tags',
    'transaction',
    'update notes',
  ]);
  const transaction = named(spans, 'transaction');
  for (const call of calls) {
    expect(call.traceId).toBe(request.traceId);
    expect(call.parentSpanId).toBe(call.name === 'update notes' ? transaction.spanId : request.spanId);
    expect(valuesOf(call)['db.system.name']).toBe('sqlite');
  }
  expect(valuesOf(named(spans, 'insert notes'))['db.query.text']).toBe('insert into notes (id, body) values (?, ?)');
  expect(valuesOf(named(spans, 'batch'))).toMatchObject({
    'db.operation.batch.size': 2,
    'db.query.text': 'insert into notes (id, body) values (?, ?);\ndelete from notes where id = ?',
  });
  expect(JSON.stringify(collector.bodies())).not.toContain('secret');
});

test('a failed statement has the name of its error and no message; "not found" is no failure', async () => {
  const collector = await openCollector();
  const tracing = await startFor(collector.url);
  const { server, inner } = await serve(tracing, (app, db) => {
    app.get('/twice', async () => db.run(insertNote('secret-id')));
    app.get('/none', async () => db.one(sql`select id from tags, notes where id = ${'secret-no'}`.orElse(() => notFound('Note'))));
  });
  await inner.run(insertNote('secret-id'));
  expect((await server.inject('/twice')).statusCode).toBe(500);
  await server.inject('/none');
  await tracing.shutdown();
  const failed = named(collector.spans(), 'insert notes');
  expect(failed).toMatchObject({ status: { code: ERROR }, events: [] });
  expect(failed.status.message).toBeUndefined();
  expect(valuesOf(failed)['error.type']).toBe('UniqueViolation');
  expect(named(collector.spans(), 'GET /twice').status.code).toBe(ERROR);
  expect(valuesOf(named(collector.spans(), 'GET /twice'))).toMatchObject({ 'http.response.status_code': 500, 'error.type': '500' });
  expect(named(collector.spans(), 'select tags').status.code).not.toBe(ERROR);
  expect(JSON.stringify(collector.bodies())).not.toContain('secret');
});

test('requests that run at the same time keep their calls apart, transactions that queue for the writer too', async () => {
  const collector = await openCollector();
  const tracing = await startFor(collector.url);
  const { server } = await serve(tracing, (app, db) =>
    app.post('/notes/:id', async (request) => {
      const { id } = request.params as { id: string };
      await db.transaction(async (tx) => {
        await tx.run(insertNote(id));
        await tx.maybeOne(sql`select body from notes where id = ${id}`);
      });
      return db.maybeOne(sql`select name from tags where note_id = ${id}`);
    }),
  );
  await Promise.all(
    Array.from({ length: 40 }, (_, index) => server.inject({ method: 'POST', url: `/notes/n${index}`, payload: { index } })),
  );
  await tracing.shutdown();
  const spans = collector.spans();
  const childrenOf = ({ spanId }: SentSpan) => spans.filter(({ parentSpanId }) => parentSpanId === spanId);
  const requests = spans.filter(({ kind }) => kind === SERVER);
  expect(requests).toHaveLength(40);
  for (const request of requests) {
    const calls = childrenOf(request);
    expect(calls.map(({ name }) => name)).toEqual(['transaction', 'select tags']);
    expect(childrenOf(calls[0] as SentSpan).map(({ name }) => name)).toEqual(['insert notes', 'select notes']);
  }
});

test('nothing is traced outside a request, after its end, or for a caller whose trace is not sampled', async () => {
  const collector = await openCollector();
  const tracing = await startFor(collector.url);
  let later: Promise<unknown> | undefined;
  const { server, db } = await serve(tracing, (app, traced) => {
    app.get('/later', async () => {
      later = delay(50).then(() => traced.run(insertNote('late')));
      return {};
    });
    app.get('/unsampled', async () => traced.run(insertNote('unsampled')));
  });
  await db.run(insertNote('outside'));
  await server.inject('/later');
  await later;
  await server.inject({ url: '/unsampled', headers: { traceparent: TRACEPARENT.replace(/01$/, '00') } });
  await tracing.shutdown();
  expect(collector.spans().map(({ name }) => name)).toEqual(['GET /later']);
});

test('an unknown path is called by its method alone', async () => {
  const collector = await openCollector();
  const tracing = await startFor(collector.url);
  const { server } = await serve(tracing, () => {});
  await server.inject({ url: '/no/such/path', headers: { traceparent: 'nonsense' } });
  await tracing.shutdown();
  const span = named(collector.spans(), 'GET');
  expect(valuesOf(span)).toMatchObject({ 'http.response.status_code': 404, 'url.path': '/no/such/path' });
  expect(valuesOf(span)).not.toHaveProperty('http.route');
  expect(span.parentSpanId ?? '').toBe('');
});

test('a token in a path is not sent, not even where the path is unknown', async () => {
  const collector = await openCollector();
  const tracing = await startFor(collector.url);
  const { server } = await serve(tracing, (app) => app.post('/invites/:token/accept', async () => ({})));
  const token = newSecret('invite');
  await server.inject({ method: 'POST', url: `/invites/${token}/accept` });
  await server.inject(`/invites/${token}`);
  await tracing.shutdown();
  expect(collector.spans().map((span) => valuesOf(span)['url.path'])).toEqual(['/invites/cpi_…/accept', '/invites/cpi_…']);
  expect(JSON.stringify(collector.bodies())).not.toContain(token.slice(4));
});

test('the span of a caller that hung up ends, without a status code', async () => {
  const collector = await openCollector();
  const tracing = await startFor(collector.url);
  const arrived = Promise.withResolvers<void>();
  const hungUp = Promise.withResolvers<void>();
  const { server } = await serve(tracing, (app) =>
    app.get('/slow', async (request) => {
      request.raw.once('close', hungUp.resolve);
      arrived.resolve();
      await hungUp.promise;
      return {};
    }),
  );
  await server.listen({ host: '127.0.0.1', port: 0 });
  const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1', () =>
    socket.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n'),
  );
  await arrived.promise;
  socket.destroy();
  await hungUp.promise;
  await server.close();
  await tracing.shutdown();
  const values = valuesOf(named(collector.spans(), 'GET /slow'));
  expect(values['error.type']).toBe('caller_hung_up');
  expect(values).not.toHaveProperty('http.response.status_code');
});

test('the service is called commonplace, unless OTEL_SERVICE_NAME says otherwise; OTEL_EXPORTER_OTLP_HEADERS are sent', async () => {
  const collector = await openCollector();
  const visit = async () => {
    const tracing = await startFor(collector.url);
    const { server } = await serve(tracing, (app) => app.get('/', async () => ({})));
    await server.inject('/');
    await tracing.shutdown();
  };
  await visit();
  vi.stubEnv('OTEL_SERVICE_NAME', 'library');
  vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', 'deployment.environment.name=staging');
  vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', 'authorization=Bearer%20abc,x-tenant=one');
  await visit();
  const [first, second] = collector.bodies().map(({ resourceSpans }) => valuesOf(resourceSpans[0]?.resource ?? { attributes: [] }));
  expect(first).toMatchObject({ 'service.name': 'commonplace' });
  expect(second).toMatchObject({ 'service.name': 'library', 'deployment.environment.name': 'staging' });
  expect(collector.requests[1]?.headers).toMatchObject({ authorization: 'Bearer abc', 'x-tenant': 'one' });
});

test('a long statement is cut', async () => {
  const collector = await openCollector();
  const tracing = await startFor(collector.url);
  const { server } = await serve(tracing, (app, db) =>
    app.get('/', async () => db.batch(Array.from({ length: 500 }, (_, index) => insertNote(`n${index}`)))),
  );
  await server.inject('/');
  await tracing.shutdown();
  expect(valuesOf(named(collector.spans(), 'batch'))['db.query.text']).toHaveLength(4096);
});

test('a collector that is busy is asked again', async () => {
  const collector = await openCollector(503, 200);
  const { log, warnings } = keptLog();
  const tracing = await startFor(collector.url, log);
  const { server } = await serve(tracing, (app) => app.get('/', async () => ({})));
  await server.inject('/');
  await tracing.shutdown();
  expect(collector.requests).toHaveLength(2);
  expect(collector.requests[1]?.text).toBe(collector.requests[0]?.text);
  expect(warnings()).toEqual([]);
});

test.each([
  ['is not there', async () => ({ url: 'http://127.0.0.1:1' }), ''],
  ['never answers', () => openCollector('never'), 'not flushed within 3000 ms'],
  ['refuses what it gets', () => openCollector(400), '400 Bad Request'],
] as const)('a collector that %s costs no request anything, and one warning', async (_, open, reason) => {
  const collector = await open();
  const { log, warnings } = keptLog();
  const tracing = await startFor(collector.url, log);
  const { server } = await serve(tracing, (app, db) => app.get('/', async () => db.query(sql`select 1 as one`)));
  for (let round = 0; round < 30; round++) {
    const answers = await Promise.all(Array.from({ length: 100 }, () => server.inject('/')));
    expect(answers.every(({ statusCode }) => statusCode === 200)).toBe(true);
  }
  await tracing.shutdown();
  expect(warnings()).toHaveLength(1);
  expect(warnings()[0]?.reason).toContain(reason);
});
