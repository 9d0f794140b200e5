/** Answers as bytes: serialized by the contract, tagged, compressed where it pays. */
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DeclaredRoute, FileAnswer } from './route.ts';
import { writerOf } from './serializers.ts';

const COMPRESS_FROM_BYTES = 4096;
const compress = promisify(gzip);

export function serialize({ answers: { body } }: DeclaredRoute, answer: unknown): string {
  return body ? writerOf(body)(answer) : '';
}

export async function send(route: DeclaredRoute, request: FastifyRequest, reply: FastifyReply, payload: string): Promise<FastifyReply> {
  if (payload === '') return reply.send();
  reply.type('application/json; charset=utf-8');
  if (route.method === 'GET') {
    const tag = `W/"${hash('sha1', payload, 'base64url')}"`;
    reply.header('etag', tag).header('cache-control', 'private, no-cache');
    if (matches(request.headers['if-none-match'], tag)) return reply.code(304).send();
  }
  if (payload.length < COMPRESS_FROM_BYTES) return reply.send(payload);
  // CORS may have said already that the answer varies.
  reply.header('vary', [reply.getHeader('vary'), 'Accept-Encoding'].filter(Boolean).join(', '));
  if (!acceptsGzip(request.headers['accept-encoding'])) return reply.send(payload);
  reply.header('content-encoding', 'gzip');
  return reply.send(await compress(payload, { level: 1 }));
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
