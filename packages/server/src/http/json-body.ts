/** JSON bodies: UTF-8, counted before they are parsed, and every key in them data. */
import { isUtf8 } from 'node:buffer';
import { BODY_LIMITS, findExcess } from '@commonplace/contract/json';
import type { FastifyRequest, preParsingHookHandler } from 'fastify';
import { AppError } from '../errors.ts';

const BYTE_ORDER_MARK = '\u{feff}';
const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i;

/** Before any of the body is read, on routes that read one. */
export const requirePlainBody: preParsingHookHandler = ({ headers }, _reply, payload, done) => {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0;
  if (!hasBody) done(null, payload);
  else if (!/^(identity)?$/i.test(headers['content-encoding'] ?? ''))
    done(new AppError('unsupported_media_type', 'Content-Encoding must be identity: the body is taken uncompressed'));
  else if (!isInUtf8(headers['content-type'] ?? '')) done(new AppError('unsupported_media_type', 'Charset of the body must be utf-8'));
  else done(null, payload);
};

function isInUtf8(contentType: string): boolean {
  if (!/^application\/json\b/i.test(contentType)) return true;
  const charset = CHARSET.exec(contentType)?.[1];
  return charset === undefined || /^utf-?8$/i.test(charset);
}

export function parseJsonBody(_request: FastifyRequest, body: Buffer, done: (error: Error | null, value?: unknown) => void): void {
  let value: unknown;
  try {
    value = jsonOf(body);
  } catch (error) {
    done(error as AppError);
    return;
  }
  done(null, value);
}

function jsonOf(body: Buffer): unknown {
  // A body that is declared as JSON and empty is no body; whether one is needed is the contract's to say.
  if (body.length === 0) return undefined;
  // Decoding would put U+FFFD where a byte is wrong, and two texts would become one.
  if (!isUtf8(body)) throw new AppError('bad_request', 'Body must be valid UTF-8');
  const text = body.toString();
  const excess = findExcess(text, BODY_LIMITS);
  if (excess) throw new AppError('bad_request', `Body ${excess}`);
  try {
    // `JSON.parse` defines `__proto__` as a property of its own; nothing here copies a body by assignment.
    return JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  } catch (error) {
    throw new AppError('bad_request', 'Body is not valid JSON', { cause: error });
  }
}
