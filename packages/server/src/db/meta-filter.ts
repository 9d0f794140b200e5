/** What a filter on `meta` is in SQL: `where … ${metaMatches(where)}`. */
import type { Where } from '@commonplace/contract/where';
import { json, perEngine, type Sql, sql } from './sql.ts';

/** What a statement is given. */
export interface MetaFilter {
  readonly keys: readonly { readonly key: string; readonly values: readonly unknown[] }[];
  /** No key and no value has it. */
  readonly absent: string;
}

/**
 * Of the column `meta`. All keys and values are one parameter, so that the statement is the same whatever is asked. Nearly all rows are passed
 * over by their text alone: `meta` is written by `JSON.stringify`, as one of the keys and its value are here.
 */
export function metaMatches(where: Where | undefined): Sql {
  const keys = Object.entries(where ?? {}).map(([key, value]) => ({ key, values: Array.isArray(value) ? value : [value] }));
  const texts = keys.map(({ key, values }) => ({ key: `${json(key)}:`, value: values.length === 1 ? json(values[0]) : '' }));
  const [longest] = texts.sort((one, other) => other.value.length - one.value.length);
  if (!longest) return sql``;
  const filter: MetaFilter = { keys, absent: findAbsent(json(keys)) };
  return sql`and meta <> '{}' and ${find}(meta, ${longest.key}) > 0 and ${find}(meta, ${longest.value}) > 0
    and ${isMatch.begin}${json(filter)}${isMatch.end}`;
}

/** A character for private use, or several. */
function findAbsent(text: string): string {
  let absent = '\ue000';
  while (text.includes(absent)) absent += absent;
  return absent;
}

const find = perEngine({ sqlite: 'instr', postgres: 'strpos' });

/**
 * PostgreSQL has no text with NUL or half a surrogate pair. Nobody can ask for one either: in its place stands what is in nothing that is asked
 * for. A backslash that is itself escaped begins none of them.
 */
const unreadable = String.raw`(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})`;
const readable = String.raw`case when strpos(meta, '\u0000') = 0 and strpos(meta, '\ud') = 0 then meta
  else regexp_replace(meta, '${unreadable}', '\1' || (asked.filter ->> 'absent'), 'g') end`;

/** `offset 0`: it is parsed once, whatever is asked of it. A list contains what one of its elements is. */
const postgres = {
  begin: 'exists (select 1 from (select ',
  end: `::jsonb as filter offset 0) asked cross join lateral (select (${readable})::jsonb as meta offset 0) held
    where not exists (select 1 from jsonb_array_elements(asked.filter -> 'keys') wanted where not exists (
      select 1 from jsonb_array_elements(wanted.value -> 'values') one where held.meta -> (wanted.value ->> 'key') @> one.value)))`,
};

/** On SQLite a function of `sqlite/meta-function.ts`. */
const isMatch = {
  begin: perEngine({ sqlite: 'meta_matches(meta, ', postgres: postgres.begin }),
  end: perEngine({ sqlite: ')', postgres: postgres.end }),
};
