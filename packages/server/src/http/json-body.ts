/** JSON bodies: bounded in depth, and every key in them data. */
import { DEEPEST_JSON, isNestedTooDeep } from '@commonplace/contract/json';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';

const BYTE_ORDER_MARK = '\u{feff}';

export function parseJsonBody(_request: FastifyRequest, body: string | Buffer, done: (error: Error | null, value?: unknown) => void): void {
  let value: unknown;
  try {
    value = jsonOf(body.toString());
  } catch (error) {
    done(error as AppError);
    return;
  }
  done(null, value);
}

function jsonOf(text: string): unknown {
  // A body that is declared as JSON and empty is no body; whether one is needed is the contract's to say.
  if (text === '') return undefined;
  if (isNestedTooDeep(text)) throw new AppError('bad_request', `Body must not be nested deeper than ${DEEPEST_JSON} levels`);
  try {
    // `JSON.parse` defines `__proto__` as a property of its own; nothing here copies a body by assignment.
    return JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  } catch (error) {
    throw new AppError('bad_request', 'Body is not valid JSON', { cause: error });
  }
}
