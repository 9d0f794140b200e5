/** Where each table is on Citus: the rule that a new table follows by itself. */

/**
 * Found without knowing the workspace, with all that refers to them: on the coordinator, and known to Citus, so that their changes commit with
 * those of the workers.
 */
const LOCAL = new Set(['users', 'workspaces']);

/** The service's own bookkeeping, read and written for all workspaces at once: on the coordinator, and unknown to Citus, which would refuse the claim of jobs. */
const PLAIN = new Set(['jobs', 'nodes', 'schema_migrations', 'embedding_models', 'request_totals']);

/** Keys of earlier migrations that lack the workspace. It is put in front of them where the table is distributed, and only there. */
const KEYED_WITHOUT_WORKSPACE = new Set(['idempotency_keys', 'message_writes', 'new_messages', 'outbox', 'pending_counts']);

export const DISTRIBUTION_COLUMN = 'workspace_id';

/** The others are put on the same worker as this one, workspace by workspace. */
export const FIRST_TABLE = 'agents';

export interface TableKeys {
  readonly name: string;
  readonly hasWorkspace: boolean;
  /** The tables that its foreign keys name. */
  readonly references: readonly string[];
  /** The columns of its primary key, in their order. */
  readonly primaryKey: readonly string[];
}

/** `distributed` by workspace, `local` or `plain` on the coordinator; undefined for a table that no rule covers. */
export type TablePlace = 'distributed' | 'local' | 'plain';

export function placeOfTable({ name, hasWorkspace, references }: Omit<TableKeys, 'primaryKey'>): TablePlace | undefined {
  if (LOCAL.has(name) || references.some((table) => LOCAL.has(table))) return 'local';
  if (PLAIN.has(name)) return 'plain';
  return hasWorkspace ? 'distributed' : undefined;
}

/** What its primary key has to become before it is distributed; undefined where it is right as it is. */
export function keyWithWorkspace({ name, primaryKey }: TableKeys): readonly string[] | undefined {
  if (primaryKey[0] === DISTRIBUTION_COLUMN) return undefined;
  return KEYED_WITHOUT_WORKSPACE.has(name) ? [DISTRIBUTION_COLUMN, ...primaryKey] : undefined;
}

/** The table of a unique index, whose name begins with that of the table; a shard's ends in its number: `agents_by_handle_102008`. */
export function tableOfIndex(name: string): string {
  return /^(.+?)_(?:pkey|by_.+|unnamed)$/.exec(tableOfShard(name))?.[1] ?? '';
}

/** A shard is called after its table and a number: `agents_102008`. No table of ours ends in one. */
export function tableOfShard(name: string): string {
  return name.replace(/_\d{5,}$/, '');
}
