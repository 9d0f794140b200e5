/** The OpenAPI document as a service of this version serves it, without one that runs. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { createApp } from '../packages/server/src/app.ts';
import { systemClock } from '../packages/server/src/clock.ts';
import { readConfig } from '../packages/server/src/config.ts';
import { migrate } from '../packages/server/src/db/migrate.ts';
import { openDatabase } from '../packages/server/src/db/open.ts';

export type Schema = { readonly [keyword: string]: unknown };

export interface ApiOperation {
  readonly operationId: string;
  readonly parameters: readonly { name: string; in: string; required: boolean; description?: string; schema: Schema }[];
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>>;
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export async function readApiDocument(): Promise<ApiDocument> {
  const dataDir = await mkdtemp(join(tmpdir(), 'commonplace-document-'));
  const log = pino({ level: 'silent' });
  const config = readConfig({ COMMONPLACE_DATA_DIR: dataDir });
  const db = await openDatabase(config, log);
  try {
    await migrate(db);
    const app = await createApp(config, db, log, systemClock);
    try {
      return (await app.server.inject('/api/v1/openapi.json')).json();
    } finally {
      await app.close();
    }
  } finally {
    await db.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}
