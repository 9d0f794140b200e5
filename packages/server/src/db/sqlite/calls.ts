/** Statements on their way to SQLite, and rows on their way back. */
import { decodeRows } from '../shape.ts';
import type { Sql } from '../sql.ts';
import type { CallResult, StatementCall, StoredParam } from './protocol.ts';

export function toCall(statement: Sql): StatementCall {
  return [statement.text('sqlite'), toStored(statement.params), statement.guard !== undefined];
}

/** Roughly the bytes of a call's parameters, for the bounds of queues. */
export function sizeOf(call: StatementCall): number {
  let size = 64;
  for (const param of call[1]) {
    if (typeof param === 'string') size += param.length;
    else if (typeof param === 'object' && param !== null) size += param.byteLength;
    else size += 8;
  }
  return size;
}

export function toStored(params: readonly unknown[]): StoredParam[] {
  return params.map((param) => {
    switch (typeof param) {
      case 'string':
        return param;
      case 'number':
        // node:sqlite binds every number as a real: 7 would be '7.0' in a text column, and 7 / 2 would be 3.5.
        return Number.isSafeInteger(param) ? BigInt(param) : param;
      case 'boolean':
        return param ? 1n : 0n;
    }
    if (param === null) return null;
    if (param instanceof Uint8Array) {
      // A view is cloned with the whole buffer behind it, which for a small Buffer is Node's pool of 8 KiB and more.
      return param.byteLength === param.buffer.byteLength ? param : new Uint8Array(param);
    }
    throw new TypeError(`A parameter of type ${typeof param} can't be stored; bind text, a number, a boolean, null or bytes`);
  });
}

/** The decoded rows of a statement, as plain objects. */
export function toRows<Row>(statement: Sql<Row>, [, names, rows]: CallResult): Row[] {
  return decodeRows(
    statement,
    rows.map((row) => toObject(names, row)),
  );
}

export function toObject(names: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (let index = 0; index < names.length; index++) object[names[index] as string] = values[index];
  return object;
}
