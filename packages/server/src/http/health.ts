/** Health (the process answers) and readiness (the database serves), at the API's prefix and at the host's root. */
import { Readiness } from '@commonplace/contract/health';
import { anyone } from '../auth/access.ts';
import type { Context } from '../context.ts';
import { AppError } from '../errors.ts';
import type { Api } from './api.ts';

export function healthRoutes(api: Api, { db, searcher }: Context): void {
  api.tag('Health', 'Whether the process answers, and whether it can serve.');
  for (const place of ['', '/public'] as const) {
    const name = place ? 'Public' : '';
    api.route({
      method: 'GET',
      path: `${place}/_health`,
      name: `get${name}Health`,
      tag: 'Health',
      summary: 'Whether the process answers',
      access: anyone,
      isHealth: true,
      answers: { status: 200, body: Readiness },
      handle: async () => ({ status: 'ok' as const }),
    });
    api.route({
      method: 'GET',
      path: `${place}/_ready`,
      name: `get${name}Readiness`,
      tag: 'Health',
      summary: 'Whether the service can serve',
      access: anyone,
      isHealth: true,
      answers: { status: 200, body: Readiness },
      handle: async () => {
        try {
          await db.ping();
        } catch (error) {
          throw new AppError('unavailable', 'The database can’t serve', { cause: error, retryAfterSeconds: 1 });
        }
        // The model is not loaded for this: asked is only whether the last text got its vector.
        if (searcher.isWordsOnly) throw new AppError('unavailable', 'The embedder can’t serve', { retryAfterSeconds: 1 });
        return { status: 'ok' as const };
      },
    });
  }
}
