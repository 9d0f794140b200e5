/** How PostgreSQL's values become the program's: times as RFC 3339, numbers as numbers, JSON as the text that was stored. */
import pg from 'pg';

const asText = (stored: string) => stored;

/** '2026-11-15 02:24:50.12+00', as a session in UTC writes it, becomes '2026-11-15T02:24:50.120Z'. */
export function rfc3339(stored: string): string {
  if (!stored.endsWith('+00') || stored[10] !== ' ') return stored; // infinity, or a year that RFC 3339 can't write
  const fraction = `${stored.slice(20, -3)}000`.slice(0, 3);
  return `${stored.slice(0, 10)}T${stored.slice(11, 19)}.${fraction}Z`;
}

const parsers = new Map<number, (stored: string) => unknown>([
  [20, Number], // int8
  [1700, Number], // numeric
  [1184, rfc3339], // timestamptz
  [1114, asText], // timestamp
  [1082, asText], // date
  [114, asText], // json
  [3802, asText], // jsonb
]);

/** Of results in binary form: the driver's own would read bytes as text, and whole numbers as strings. */
const binaryParsers = new Map<number, (stored: Buffer) => unknown>([
  [17, (stored) => stored], // bytea
  [20, (stored) => Number(stored.readBigInt64BE())], // int8
]);

/** For one client's `types` option, so that nothing global is changed. */
export const types = {
  getTypeParser(oid: number, format?: string) {
    const parser = format === 'binary' ? binaryParsers.get(oid) : parsers.get(oid);
    return parser ?? pg.types.getTypeParser(oid, format as 'text');
  },
} as pg.CustomTypesConfig;
