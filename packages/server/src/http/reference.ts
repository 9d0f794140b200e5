/** The API reference page at /docs: three static files, read once at start and answered from memory. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';

const FILES = [
  { urls: ['/docs', '/docs/'], name: 'index.html', type: 'text/html; charset=utf-8' },
  { urls: ['/docs/reference.css'], name: 'reference.css', type: 'text/css; charset=utf-8' },
  { urls: ['/docs/reference.js'], name: 'reference.js', type: 'text/javascript; charset=utf-8' },
];

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "form-action 'none'",
].join('; ');

/** Whether an `If-None-Match` names this entity. Proxies that compress on the way make a strong tag a weak one. */
function isFresh(ifNoneMatch: string | undefined, etag: string): boolean {
  return ifNoneMatch?.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim())) ?? false;
}

export function referenceRoutes(app: FastifyInstance): void {
  for (const { urls, name, type } of FILES) {
    const body = readFileSync(new URL(`./reference/${name}`, import.meta.url));
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
    const headers = {
      'cache-control': 'public, max-age=300',
      'content-security-policy': CONTENT_SECURITY_POLICY,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      etag,
    };
    for (const url of urls) {
      app.get(url, (request, reply) => {
        reply.headers(headers);
        return isFresh(request.headers['if-none-match'], etag) ? reply.code(304).send() : reply.type(type).send(body);
      });
    }
  }
}
