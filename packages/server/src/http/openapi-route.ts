/** Serves the OpenAPI document, made once and kept as text. */
import { hash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import { API_PREFIX, type Api } from './api.ts';
import { openApiDocument } from './openapi.ts';

export const INTERFACE_VERSION = '1.0.0';

export function openApiRoutes(server: FastifyInstance, { routes, tags }: Api, config: Config): void {
  let document: { text: string; tag: string } | undefined;
  server.get(`${API_PREFIX}/openapi.json`, async (request, reply) => {
    if (!document) {
      const text = JSON.stringify(openApiDocument(routes, tags, INTERFACE_VERSION, config.publicUrl));
      document = { text, tag: `"${hash('sha1', text, 'base64url')}"` };
    }
    reply.header('etag', document.tag).header('cache-control', 'no-cache').type('application/json; charset=utf-8');
    return request.headers['if-none-match'] === document.tag ? reply.code(304).send() : reply.send(document.text);
  });
}
