/** Statements on their way to SQLite, and rows on their way back. */
import { decodeRows } from '../shape.ts';
import type { Param, Sql } from '../sql.ts';
import type { CallResult, StatementCall, StoredParam } from './protocol.ts';

export function toCall(statement: Sql): StatementCall {
  return [statement.text('sqlite'), toSent(statement.params), statement.guard !== undefined];
}

/**
 * As they are cloned for a thread. What can't be stored is refused here, where it fails nobody else; bytes are in a buffer of their own,
 * as a view is cloned with all that is behind it, which for a small Buffer is Node's pool of 8 KiB and more.
 */
function toSent(params: readonly Param[]): readonly Param[] {
  let sent: Param[] | undefined;
  for (let index = 0; index < params.length; index++) {
    const param = params[index] as Param;
    if (typeof param !== 'object') {
      if (!SENT_TYPES.has(typeof param)) throw notStored(param);
    } else if (param instanceof Uint8Array) {
      if (param.byteLength === param.buffer.byteLength) continue;
      sent ??= [...params];
      sent[index] = new Uint8Array(param);
    } else if (param !== null) throw notStored(param);
  }
  return sent ?? params;
}

const SENT_TYPES: ReadonlySet<string> = new Set(['string', 'number', 'boolean']);

function notStored(param: unknown): TypeError {
  return new TypeError(`A parameter of type ${typeof param} can't be stored; bind text, a number, a boolean, null or bytes`);
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
    if (param === null || typeof param === 'bigint' || param instanceof Uint8Array) return param;
    throw notStored(param);
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
