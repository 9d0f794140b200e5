/** Answers as bytes: serialized by the contract, tagged, compressed where it pays. */
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DeclaredRoute, FileAnswer } from './route.ts';
import { serializerOf } from './serializers.ts';
import { settleBody } from './unread-bodies.ts';

const COMPRESS_FROM_BYTES = 4096;
const JSON_TYPE = 'application/json; charset=utf-8';
const compress = promisify(gzip);

export function serialize({ answers: { body } }: DeclaredRoute, answer: unknown): string {
  return body ? serializerOf(body).write(answer) : '';
}

/** A promise only where the answer is compressed first. */
export function send(
  { method }: DeclaredRoute,
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  payload: string,
): void | Promise<void> {
  settleBody(request, reply);
  const isRead = method === 'GET';
  const headers = reply.server.commonHeaders.flatFor(request, reply, isRead ? 'private, no-cache' : 'no-store');
  if (payload === '') return write(reply, status, headers);
  headers.push('content-type', JSON_TYPE);
  if (isRead) {
    const tag = `W/"${hash('sha1', payload, 'base64url')}"`;
    headers.push('etag', tag);
    if (matches(request.headers['if-none-match'], tag)) return write(reply, 304, headers);
  }
  if (payload.length < COMPRESS_FROM_BYTES) return write(reply, status, headers, payload);
  addVary(headers, 'Accept-Encoding');
  if (!acceptsGzip(request.headers['accept-encoding'])) return write(reply, status, headers, payload);
  headers.push('content-encoding', 'gzip');
  return compress(payload, { level: 1 }).then((compressed) => write(reply, status, headers, compressed));
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
  return reply
    .type(contentType)
    .header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(filename)}`)
    .send(bytes);
}
