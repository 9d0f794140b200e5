/** What answers before the service can: alive, and not ready. A migration may take longer than anybody waits for a silent process. */
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { AppError } from '../errors.ts';
import { API_PREFIX } from './api.ts';
import { createServer } from './server.ts';

export async function createStartingServer(config: Config, log: Logger): Promise<FastifyInstance> {
  // Answers by 503 are what it is for, and no failures.
  const server = await createServer(config, log.child({}, { level: 'silent' }));
  for (const place of ['', '/public']) server.get(`${API_PREFIX}${place}/_health`, async () => ({ status: 'ok' }));
  server.addHook('onRequest', (request, _reply, done) => {
    done(request.is404 ? new AppError('unavailable', 'The service is starting. Try again shortly.', { retryAfterSeconds: 1 }) : undefined);
  });
  return server;
}

/** At once: a request that arrives slowly must not hold up the start. */
export async function closeStartingServer(server: FastifyInstance): Promise<void> {
  server.server.close();
  server.server.closeAllConnections();
  await server.close();
}
