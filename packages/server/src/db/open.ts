/** Opens the database that the configuration names. */
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { takeIdTimesFrom } from './ids.ts';
import type { MigratableDatabase } from './migrate.ts';

type DatabaseConfig = Pick<Config, 'databaseUrl' | 'databasePoolSize' | 'dataDir'> & Partial<Pick<Config, 'databaseDirectUrl' | 'backup'>>;

/** Each engine is loaded only when it is used. */
export async function openDatabase(config: DatabaseConfig, log: Logger): Promise<MigratableDatabase> {
  const database = await open(config, log);
  takeIdTimesFrom(database.clock);
  return database;
}

async function open(config: DatabaseConfig, log: Logger): Promise<MigratableDatabase> {
  if (config.databaseUrl) {
    if (config.backup) log.warn('COMMONPLACE_BACKUP_URL is of no use with PostgreSQL, which has backups of its own');
    const { openPostgres } = await import('./postgres/engine.ts');
    return openPostgres({ url: config.databaseUrl, directUrl: config.databaseDirectUrl, poolSize: config.databasePoolSize, log });
  }
  const { openSqlite } = await import('./sqlite/engine.ts');
  return openSqlite({ dataDir: config.dataDir, log, backup: config.backup });
}
