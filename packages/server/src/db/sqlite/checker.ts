/** A thread that checks a copy of a database, for as long as that takes, and leaves it as a single file. */
import { DatabaseSync } from 'node:sqlite';
import { serveThread } from '../../threads/serve.ts';
import { toFailure } from './failures.ts';
import type { CheckerQuestions, CheckReply } from './protocol.ts';

const MAX_PROBLEMS = 10;

function check(file: string, thoroughly: boolean): CheckReply {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(file);
    // A copy carries the mark of WAL in its header, and would get a -wal file beside it whenever someone opens it.
    db.exec('pragma journal_mode = delete');
    const found = db
      .prepare(`pragma ${thoroughly ? 'integrity_check' : 'quick_check'}(${MAX_PROBLEMS})`)
      .all()
      .map((row) => String(Object.values(row)[0]));
    const table = db.prepare(`select 1 from sqlite_master where type = 'table' and name = 'schema_migrations'`).get();
    return { problems: found.filter((line) => line !== 'ok'), hasMigrations: table !== undefined };
  } catch (error) {
    return { problems: [], hasMigrations: false, failure: toFailure(error) };
  } finally {
    db?.close();
  }
}

serveThread<CheckerQuestions>(() => ({ check }));
