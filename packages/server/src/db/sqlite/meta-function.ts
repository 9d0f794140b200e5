/** `meta_matches(meta, asked)`: in SQL alone both lists would be gone through for each value of the other. */
import type { DatabaseSync } from 'node:sqlite';
import type { MetaFilter } from '../meta-filter.ts';

interface Asked {
  readonly key: string;
  readonly values: ReadonlySet<unknown>;
}

/** Of the last statement: it asks the same of each row. */
let [lastText, lastAsked]: [string, readonly Asked[]] = ['', []];

function parseAsked(text: string): readonly Asked[] {
  if (text !== lastText) {
    const { keys } = JSON.parse(text) as MetaFilter;
    [lastText, lastAsked] = [text, keys.map(({ key, values }) => ({ key, values: new Set(values) }))];
  }
  return lastAsked;
}

function matches(meta: string, text: string): 0 | 1 {
  const read = JSON.parse(meta) as Record<string, unknown> | null;
  const isMatch = parseAsked(text).every(({ key, values }) => {
    if (typeof read !== 'object' || read === null || !Object.hasOwn(read, key)) return false;
    const held = read[key];
    return Array.isArray(held) ? held.some((value) => values.has(value)) : values.has(held);
  });
  return isMatch ? 1 : 0;
}

export function addMetaFunction(db: DatabaseSync): void {
  db.function('meta_matches', { deterministic: true }, (meta, asked) => matches(String(meta), String(asked)));
}
