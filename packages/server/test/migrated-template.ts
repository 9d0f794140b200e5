/** A database with all tables, copied for each test that needs one. */
import { pino } from 'pino';
import { migrate } from '../src/db/migrate.ts';
import { openDatabase } from '../src/db/open.ts';
import type { Template } from './database.ts';

export const migratedTemplate: Template = {
  name: 'migrated',
  prepare: async (url) => {
    const db = await openDatabase({ databaseUrl: url, databasePoolSize: 2, dataDir: '' }, pino({ level: 'silent' }));
    await migrate(db);
    await db.close();
  },
};
