/** What a table holds, as a number of rows and a checksum: the same on both engines for the same rows, in whatever order. */
import { createHash } from 'node:crypto';
import type { Database } from '../../db/database.ts';
import type { Param } from '../../db/sql.ts';
import { type Row, readPages } from './pages.ts';
import type { Table } from './tables.ts';

export interface TableSum {
  readonly rows: number;
  /** The SHA-256 of all rows added up, in hexadecimal digits. */
  readonly checksum: string;
}

const MODULUS = 2n ** 256n;

export async function sumTable(db: Database, table: Table): Promise<TableSum> {
  let rows = 0;
  let sum = 0n;
  for await (const page of readPages(db, table)) {
    for (const row of page) sum += digestOf(table, row);
    sum %= MODULUS;
    rows += page.length;
  }
  return { rows, checksum: sum.toString(16).padStart(64, '0') };
}

/** Each value with its column, what it is and its length: no two rows are written alike. */
function digestOf({ columns }: Table, row: Row): bigint {
  const digest = createHash('sha256');
  for (const [index, { name, kind }] of columns.entries()) {
    const value = row[index] ?? null;
    const bytes = value instanceof Uint8Array ? value : Buffer.from(textOf(value));
    digest.update(`${name} ${value === null ? 'null' : kind} ${bytes.byteLength}:`).update(bytes);
  }
  return BigInt(`0x${digest.digest('hex')}`);
}

function textOf(value: Exclude<Param, Uint8Array>): string {
  return value === null ? '' : String(value);
}
