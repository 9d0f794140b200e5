/** Deletes without end in sight, a bounded step at a time, so that other writers get their turn. */
import type { Queryable } from './database.ts';
import { raw, type Sql, sql } from './sql.ts';

const ROWS_IN_ONE_STEP = 1000;

export interface Deletion {
  readonly table: string;
  /** The columns of its primary key. */
  readonly key: string;
  readonly condition: Sql;
}

/** How many there were. */
export async function deleteInSteps(db: Queryable, { table, key, condition }: Deletion, signal: AbortSignal): Promise<number> {
  let total = 0;
  let deleted: number;
  do {
    signal.throwIfAborted();
    deleted = await db.run(sql`
      delete from ${raw(table)} where ${condition} and (${raw(key)}) in (
        select ${raw(key)} from ${raw(table)} where ${condition} limit ${ROWS_IN_ONE_STEP})`);
    total += deleted;
  } while (deleted === ROWS_IN_ONE_STEP);
  return total;
}
