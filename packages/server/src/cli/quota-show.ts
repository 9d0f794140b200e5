/** `quota show`: what a workspace may have, and what it has. */
import { sql } from '../db/sql.ts';
import { notFound } from '../errors.ts';
import { type Arguments, exitCodes } from './command.ts';
import { withCurrentDatabase } from './database.ts';
import { describeQuota, MEANWHILE, workspaceIdOf } from './quota.ts';

export async function run(given: Arguments): Promise<number> {
  const workspaceId = workspaceIdOf(given);
  const text = await withCurrentDatabase(MEANWHILE, async (db) => {
    if (!(await db.maybeOne(sql`select id from workspaces where id = ${workspaceId}`))) throw notFound('Workspace');
    return describeQuota(db, workspaceId);
  });
  process.stdout.write(text);
  return exitCodes.done;
}
