/**
 * Citus commits in two phases where a unit changes tables of several machines, but knows nothing of a plain table on the coordinator: its part
 * and the worker's would be two commits, and a crash between them would keep one of them. A unit that changes such a table beside
 * others says so by a change of a table on the coordinator that Citus knows.
 */
import { NO_WORKSPACE_ID } from '../ids.ts';
import { type Sql, sql } from '../sql.ts';

/** The plain tables that are changed together with a tenant's. */
const CHANGES_PLAIN_TABLE = /\b(?:insert\s+into|update|delete\s+from)\s+jobs\b/i;

export function changesPlainTable(statement: Sql): boolean {
  return !/^\s*select\b/i.test(statement.text('postgres')) && CHANGES_PLAIN_TABLE.test(statement.text('postgres'));
}

/** Touches no row: nobody has this id. */
export const twoPhaseMark = sql`delete from known_addresses where user_id = ${NO_WORKSPACE_ID}`;

/** Whether the statements of a batch have to be committed in two phases. */
export function spansPlainTable(statements: readonly Sql[]): boolean {
  return statements.some(changesPlainTable) && !statements.every(changesPlainTable);
}
