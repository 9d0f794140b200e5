/** The tables that are moved, as both databases describe them: what a later migration adds is moved without a word here. */
import type { Database } from '../../db/database.ts';
import { type EngineName, sql } from '../../db/sql.ts';
import { isEmpty } from './pages.ts';

/** What a value is, whatever each engine keeps it as. */
export type ColumnKind = 'id' | 'text' | 'time' | 'boolean' | 'integer' | 'bytes';

export interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
}

export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  /** The primary key, in the order that it has in each database: a distributed one may begin with the workspace. */
  readonly keys: { readonly [engine in EngineName]: readonly string[] };
  /** Numbered by the database itself. */
  readonly numbered: string | undefined;
}

/** Each database has its own: the migrations that it ran, and the processes that are at work on it. */
const OWN_OF_EACH: ReadonlySet<string> = new Set(['schema_migrations', 'nodes']);

const KINDS: Readonly<Record<string, ColumnKind>> = {
  uuid: 'id',
  text: 'text',
  'timestamp with time zone': 'time',
  boolean: 'boolean',
  smallint: 'integer',
  integer: 'integer',
  bigint: 'integer',
  bytea: 'bytes',
};

interface FoundColumn {
  table: string;
  column: string;
  type: string;
  isGenerated: boolean;
  isNumbered: boolean;
  /** From 1; 0 where it is not part of the primary key. */
  place: number;
}

const ofPostgres = sql<FoundColumn>`
  select c.relname as "table", a.attname as "column", format_type(a.atttypid, null) as "type", a.attgenerated <> '' as "isGenerated",
    a.attidentity <> '' as "isNumbered", coalesce(array_position(i.indkey::int2[], a.attnum) + 1, 0) as place
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join pg_index i on i.indrelid = c.oid and i.indisprimary
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
  order by c.relname, a.attnum`;

const ofSqlite = sql<Omit<FoundColumn, 'isNumbered' | 'isGenerated'> & { hidden: number }>`
  select t.name as "table", c.name as "column", lower(c.type) as "type", c.hidden, c.pk as place
  from sqlite_master t, pragma_table_xinfo(t.name) c
  where t.type = 'table' and t.name not like 'sqlite!_%' escape '!'
  order by t.name, c.cid`;

const references = sql<{ table: string; parent: string }>`
  select t.name as "table", f."table" as parent from sqlite_master t, pragma_foreign_key_list(t.name) f where t.type = 'table'`;

/** Those of them that hold something, of any version. */
export async function findFilledTables(db: Database, ofSource: Database): Promise<string[]> {
  const names = await tableNames(db);
  const ours = new Set(await tableNames(ofSource));
  const filled: string[] = [];
  for (const name of names) if (ours.has(name) && !OWN_OF_EACH.has(name) && !(await isEmpty(db, name))) filled.push(name);
  return filled;
}

async function tableNames(db: Database): Promise<string[]> {
  const found: { table: string }[] = db.engine === 'sqlite' ? await db.query(ofSqlite) : await db.query(ofPostgres);
  return [...new Set(found.map(({ table }) => table))];
}

/** In an order in which each comes after those that it refers to. */
export async function readTables(sqlite: Database, postgres: Database): Promise<{ tables: Table[]; unknown: string[] }> {
  const embedded = Map.groupBy(await sqlite.query(ofSqlite), ({ table }) => table);
  const server = Map.groupBy(await postgres.query(ofPostgres), ({ table }) => table);
  const tables: Table[] = [];
  for (const [name, columns] of embedded) {
    if (OWN_OF_EACH.has(name)) continue;
    const there = server.get(name);
    if (!there) throw new Error(`The table ${name} is missing in PostgreSQL. Nothing was changed.`);
    refuseOtherColumns(
      name,
      columns.map(({ column }) => column),
      there.map(({ column }) => column),
    );
    tables.push({
      name,
      columns: there.filter(({ isGenerated }) => !isGenerated).map(toColumn),
      keys: { sqlite: keyOf(name, columns), postgres: keyOf(name, there) },
      numbered: there.find(({ isNumbered }) => isNumbered)?.column,
    });
  }
  const parents = Map.groupBy(await sqlite.query(references), ({ table }) => table);
  const ordered = inOrder(tables, (name) => (parents.get(name) ?? []).map(({ parent }) => parent));
  return { tables: ordered, unknown: [...server.keys()].filter((name) => !embedded.has(name)) };
}

function toColumn({ table, column, type }: FoundColumn): Column {
  const kind = KINDS[type];
  if (!kind) throw new Error(`The column ${column} of ${table} has the type ${type}, which can't be moved. Nothing was changed.`);
  return { name: column, kind };
}

function keyOf(table: string, columns: readonly Pick<FoundColumn, 'column' | 'place'>[]): string[] {
  const key = columns.filter(({ place }) => place > 0).toSorted((one, other) => one.place - other.place);
  if (key.length === 0) throw new Error(`The table ${table} has no primary key, and can't be moved. Nothing was changed.`);
  return key.map(({ column }) => column);
}

function refuseOtherColumns(table: string, embedded: readonly string[], server: readonly string[]): void {
  const [here, there] = [new Set(embedded), new Set(server)];
  const [other] = here.symmetricDifference(there);
  if (other !== undefined) {
    throw new Error(`The column ${other} of ${table} is missing in ${here.has(other) ? 'PostgreSQL' : 'SQLite'}. Nothing was changed.`);
  }
}

function inOrder(tables: readonly Table[], parentsOf: (name: string) => readonly string[]): Table[] {
  const ordered = new Map<string, Table>();
  const byName = new Map(tables.map((table) => [table.name, table]));
  const visit = (table: Table, above: ReadonlySet<string>) => {
    if (ordered.has(table.name)) return;
    const path = new Set([...above, table.name]);
    for (const name of parentsOf(table.name)) {
      const parent = byName.get(name);
      // Rows of one table that name each other would need an order of their own; there is no such table.
      if (!parent || path.has(name))
        throw new Error(`${table.name} refers to ${name}, which can't be moved before it. Nothing was changed.`);
      visit(parent, path);
    }
    ordered.set(table.name, table);
  };
  for (const table of tables) visit(table, new Set());
  return [...ordered.values()];
}
