/** Answers as bytes: serialized by the contract, tagged, compressed where it pays. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash, hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGzip, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { largeWork } from '../lanes/loop-turns.ts';
import type { DeclaredRoute, FileAnswer, LinesAnswer } from './route.ts';
import { serializerOf } from './serializers.ts';
import { settleBody } from './unread-bodies.ts';

const COMPRESS_FROM_BYTES = 4096;
const JSON_TYPE = 'application/json; charset=utf-8';
/** JSON Lines. */
export const LINES_TYPE = 'application/x-ndjson';
const compress = promisify(gzip);

export function serialize({ answers: { body } }: DeclaredRoute, answer: unknown): string {
  return body ? serializerOf(body).write(answer) : '';
}

/** A promise only where the answer is compressed first. */
export function send(
  route: DeclaredRoute,
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  payload: string,
): void | Promise<void> {
  const headers = headersOf(route, request, reply);
  if (payload === '') return write(reply, status, headers);
  headers.push('content-type', JSON_TYPE);
  if (isKnown(route, request, headers, () => hash('sha1', payload, 'base64url'))) return write(reply, 304, headers);
  if (payload.length < COMPRESS_FROM_BYTES) return write(reply, status, headers, payload);
  if (!agreeOnGzip(request, headers)) return write(reply, status, headers, payload);
  return compress(payload, { level: 1 }).then((compressed) => write(reply, status, headers, compressed));
}

/** As `send`, of an answer that is long: made piece by piece, each in a turn of the event loop of its own, and written as it is read. */
export async function sendLong(
  route: DeclaredRoute,
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  texts: Iterable<string>,
): Promise<void> {
  const { raw } = reply;
  const pieces: Buffer[] = [];
  const digest = createHash('sha1');
  for (const text of texts) {
    const piece = Buffer.from(text);
    digest.update(piece);
    pieces.push(piece);
    await largeWork.take();
    if (raw.destroyed) return;
  }
  const headers = headersOf(route, request, reply);
  headers.push('content-type', JSON_TYPE);
  if (isKnown(route, request, headers, () => digest.digest('base64url'))) return write(reply, 304, headers);
  const isCompressed = agreeOnGzip(request, headers);
  if (!isCompressed) headers.push('content-length', String(pieces.reduce((sum, { length }) => sum + length, 0)));
  reply.hijack();
  raw.writeHead(status, headers);
  if (raw.req.method !== 'HEAD') {
    const source = takeEach(pieces);
    for await (const piece of isCompressed ? Readable.from(source).pipe(createGzip({ level: 1 })) : source) {
      if (raw.destroyed) return;
      if (!raw.write(piece)) await drained(raw);
    }
  }
  if (!raw.destroyed) raw.end();
}

/** As they are made, and no faster than they are read. Whoever hangs up ends the work; where it fails, the connection ends before the answer does. */
export async function sendLines(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  { filename, pieces }: LinesAnswer,
): Promise<void> {
  const { raw } = reply;
  const isHead = raw.req.method === 'HEAD';
  const source = inThisLane(pieces);
  // What fails at its beginning is told as every failure is.
  const first = isHead ? undefined : await source.next();
  settleBody(request, reply);
  const headers = reply.server.commonHeaders.flatFor(request, reply, 'no-store');
  headers.push('content-type', LINES_TYPE, 'content-disposition', attachment(filename));
  const isCompressed = agreeOnGzip(request, headers);
  reply.hijack();
  raw.writeHead(status, headers);
  if (first === undefined || first.done) {
    raw.end();
    return;
  }
  const whole = Readable.from(startingWith(first.value, source), { objectMode: true, highWaterMark: 1 });
  try {
    await (isCompressed ? pipeline(whole, createGzip({ level: 1 }), raw) : pipeline(whole, raw));
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

/** Whoever asks for the next piece, a socket that was drained say: it is made in the lane of the request. */
async function* inThisLane(pieces: AsyncIterable<string>): AsyncGenerator<string, void> {
  const inLane = AsyncLocalStorage.snapshot();
  const iterator = pieces[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await inLane(() => iterator.next());
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await inLane(() => iterator.return?.());
  }
}

async function* startingWith(first: string, rest: AsyncGenerator<string, void>): AsyncGenerator<string, void> {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return();
  }
}

/** Until more is taken, or whoever asked is gone. */
function drained(raw: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      raw.off('drain', end).off('close', end);
      resolve();
    };
    raw.on('drain', end).on('close', end);
  });
}

/** What is sent is not kept until the end. */
function* takeEach(pieces: Buffer[]): Generator<Buffer> {
  for (let piece = pieces.shift(); piece; piece = pieces.shift()) yield piece;
}

/** Those of every answer, when no more of the request is to be read. */
function headersOf({ method }: DeclaredRoute, request: FastifyRequest, reply: FastifyReply): string[] {
  settleBody(request, reply);
  return reply.server.commonHeaders.flatFor(request, reply, method === 'GET' ? 'private, no-cache' : 'no-store');
}

/** Tags what is read; whether the caller has it already. */
function isKnown({ method }: DeclaredRoute, request: FastifyRequest, headers: string[], digest: () => string): boolean {
  if (method !== 'GET') return false;
  const tag = `W/"${digest()}"`;
  headers.push('etag', tag);
  return matches(request.headers['if-none-match'], tag);
}

function agreeOnGzip(request: FastifyRequest, headers: string[]): boolean {
  addVary(headers, 'Accept-Encoding');
  const isAccepted = acceptsGzip(request.headers['accept-encoding']);
  if (isAccepted) headers.push('content-encoding', 'gzip');
  return isAccepted;
}

/** Past the framework, which would look at every header again: they are known here. */
function write(reply: FastifyReply, status: number, headers: string[], payload?: string | Buffer): void {
  const { raw } = reply.hijack();
  if (payload !== undefined) headers.push('content-length', String(Buffer.byteLength(payload)));
  else if (status !== 204 && status !== 304) headers.push('content-length', '0');
  raw.writeHead(status, headers);
  raw.end(raw.req.method === 'HEAD' ? undefined : payload);
}

/** CORS may have said already that the answer varies. */
function addVary(headers: string[], name: string): void {
  const place = headers.indexOf('vary');
  if (place === -1) headers.push('vary', name);
  else headers[place + 1] += `, ${name}`;
}

function acceptsGzip(header = ''): boolean {
  return header.split(',').some((coding) => /^\s*gzip\s*(;(?!\s*q=0(\.0*)?\s*$)|$)/i.test(coding));
}

function matches(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  return header.trim() === '*' || header.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === tag.slice(2));
}

/** Offered for saving, and never run by a browser that opens it. */
export function sendFile(request: FastifyRequest, reply: FastifyReply, { bytes, contentType, filename, tag }: FileAnswer): FastifyReply {
  const etag = `"${tag}"`;
  reply.header('etag', etag).header('cache-control', 'private, no-cache');
  if (matches(request.headers['if-none-match'], `W/${etag}`)) return reply.code(304).send();
  return reply.type(contentType).header('content-disposition', attachment(filename)).send(bytes);
}

function attachment(filename: string): string {
  return `attachment; filename*=UTF-8''${encodeURIComponent(filename)}`;
}
