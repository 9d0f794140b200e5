/** What a filter on `meta` is in SQL: `where … ${metaMatches(where)}`. */
import type { Where } from '@commonplace/contract/where';
import { json, perEngine, type Sql, sql } from './sql.ts';

/**
 * Of the column `meta`. All keys and values are one parameter, so that the statement is the same whatever is asked. A row without the first
 * key is passed over by its text alone: `meta` is written by `JSON.stringify`, as the key is here.
 */
export function metaMatches(where: Where | undefined): Sql {
  const asked = Object.entries(where ?? {}).map(([key, value]) => ({ key, values: Array.isArray(value) ? value : [value] }));
  const [first] = asked;
  if (!first) return sql``;
  return sql`and meta <> '{}' and ${find}(meta, ${`${json(first.key)}:`}) > 0 and ${isMatch.begin}${json(asked)}${isMatch.end}`;
}

const find = perEngine({ sqlite: 'instr', postgres: 'strpos' });

/** Of two rows of `json_each`, neither of which is a list or an object. SQLite reads 1e21 as another type than 1. */
const isEqual = (one: string, other: string) => `${typeOf(one)} = ${typeOf(other)} and ${one}.atom is ${other}.atom`;
const typeOf = (row: string) => `case ${row}.type when 'integer' then 'real' else ${row}.type end`;

const sqlite = {
  begin: 'not exists (select 1 from json_each(',
  end: `) asked where not exists (
    select 1 from json_each(meta) held cross join json_each(asked.value, '$.values') wanted
    where held.key = asked.value ->> '$.key' and (
      held.type <> 'array' and ${isEqual('held', 'wanted')}
      or held.type = 'array' and exists (select 1 from json_each(held.value) element where ${isEqual('element', 'wanted')}))))`,
};

/**
 * PostgreSQL has no text with NUL or half a surrogate pair. Nobody can ask for one either: in its place stands more than the longest text
 * that can be asked for. A backslash that is itself escaped begins none of them.
 */
const unreadable = String.raw`(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})`;
const readable = String.raw`case when strpos(meta, '\u0000') = 0 and strpos(meta, '\ud') = 0 then meta
  else regexp_replace(meta, '${unreadable}', '\1' || repeat('x', 1001), 'g') end`;

/** `offset 0`: it is parsed once, whatever is asked of it. A list contains what one of its elements is. */
const postgres = {
  begin: `exists (select 1 from (select (${readable})::jsonb as meta offset 0) held where not exists (select 1 from jsonb_array_elements(`,
  end: `::jsonb) asked where not exists (
    select 1 from jsonb_array_elements(asked.value -> 'values') wanted where held.meta -> (asked.value ->> 'key') @> wanted.value)))`,
};

const isMatch = {
  begin: perEngine({ sqlite: sqlite.begin, postgres: postgres.begin }),
  end: perEngine({ sqlite: sqlite.end, postgres: postgres.end }),
};
