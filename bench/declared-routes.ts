/** The routes as they are declared, with their schemas: read from a service that is made for it and closed again. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { createApp } from '../packages/server/src/app.ts';
import { readConfig } from '../packages/server/src/config.ts';
import { migrate } from '../packages/server/src/db/migrate.ts';
import { openDatabase } from '../packages/server/src/db/open.ts';
import type { DeclaredRoute } from '../packages/server/src/http/route.ts';

export async function declaredRoutes(): Promise<readonly DeclaredRoute[]> {
  const folder = await mkdtemp(join(tmpdir(), 'commonplace-routes-'));
  const log = pino({ level: 'silent' });
  const config = readConfig({ COMMONPLACE_DATA_DIR: folder });
  const db = await openDatabase(config, log);
  try {
    await migrate(db);
    const app = await createApp(config, db, log);
    await app.close();
    return app.api.routes;
  } finally {
    await db.close();
    await rm(folder, { recursive: true, force: true });
  }
}
