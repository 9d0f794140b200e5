/** Every failure becomes one kind of answer: a JSON object with errorMessage. */

import { type ErrorBody, MOST_DETAILS } from '@commonplace/contract/wire';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { DatabaseUnavailable, ReferenceViolation, UniqueViolation } from '../db/errors.ts';
import { AppError, type ErrorCode, type ErrorDetail } from '../errors.ts';
import { describeLimit } from './body-limits.ts';

/** A message may name what was sent, and that can be long. */
const LONGEST_MESSAGE = 2000;

const statuses: Record<ErrorCode, number> = {
  bad_request: 400,
  validation_failed: 400,
  unauthenticated: 401,
  forbidden: 403,
  quota_exceeded: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  too_many_requests: 429,
  unavailable: 503,
};

export interface Failure {
  readonly status: number;
  readonly body: ErrorBody;
}

export function sendFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, body } = failureOf(error, request, reply);
  return reply.code(status).type('application/json; charset=utf-8').serializer(JSON.stringify).send(body);
}

/** What to answer, for whoever says it in another form. Logs what is a fault of the service, and sets the headers. */
export function failureOf(error: unknown, request: FastifyRequest, reply: FastifyReply): Failure {
  const failure = translate(error, request);
  const status = failure ? statuses[failure.code] : 500;
  if (status >= 500) request.log.error({ err: error }, 'request failed');
  const body: ErrorBody = failure
    ? {
        errorMessage: shortened(failure.message),
        code: failure.code,
        ...(failure.details && { details: failure.details.slice(0, MOST_DETAILS).map(shortenedDetail) }),
        requestId: request.id,
      }
    : { errorMessage: 'Internal server error', code: 'internal', requestId: request.id };
  if (failure?.retryAfterSeconds) reply.header('retry-after', String(failure.retryAfterSeconds));
  reply.removeHeader('set-cookie');
  return { status, body };
}

/** Undefined for what the caller can neither have caused nor mend. */
function translate(error: unknown, request: FastifyRequest): AppError | undefined {
  if (error instanceof AppError) return error;
  if (error instanceof DatabaseUnavailable) {
    return new AppError('unavailable', 'The service is busy or its database is out of reach. Try again shortly.', {
      cause: error,
      retryAfterSeconds: error.retryAfterSeconds,
    });
  }
  // What a store does not translate is a race that another writer won.
  if (error instanceof UniqueViolation || error instanceof ReferenceViolation)
    return new AppError('conflict', 'In conflict with another request. Try again.', { cause: error });
  return isFrameworkError(error) ? translateFrameworkError(error, request) : undefined;
}

function isFrameworkError(error: unknown): error is FastifyError {
  return error instanceof Error && typeof (error as FastifyError).code === 'string' && ((error as FastifyError).statusCode ?? 500) < 500;
}

function translateFrameworkError(error: FastifyError, request: FastifyRequest): AppError {
  switch (error.statusCode) {
    // Nothing has a name that long.
    case 414:
    case 404:
      return new AppError('not_found', 'Not found');
    case 413:
      return new AppError('payload_too_large', `Body must not exceed ${describeLimit(request.routeOptions.bodyLimit)}`);
    case 415:
      return new AppError('unsupported_media_type', 'Content-Type must be application/json');
    default:
      return new AppError('bad_request', error.code === 'FST_ERR_BAD_URL' ? 'The path is not a valid URL path' : sentence(error.message));
  }
}

function shortened(message: string): string {
  return message.length <= LONGEST_MESSAGE ? message : `${message.slice(0, LONGEST_MESSAGE - 1).toWellFormed()}…`;
}

function shortenedDetail({ path, message }: ErrorDetail): ErrorDetail {
  return { path: shortened(path), message: shortened(message) };
}

function sentence(message: string): string {
  return message.charAt(0).toUpperCase() + message.slice(1);
}

/** What the HTTP parser refuses never reaches a route; it gets the same kind of answer all the same. */
export function rawFailure(error: NodeJS.ErrnoException): string {
  const [status, message] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? (['431 Request Header Fields Too Large', 'The request headers are too large'] as const)
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? (['408 Request Timeout', 'The request took too long to arrive'] as const)
        : (['400 Bad Request', 'The request is not valid HTTP'] as const);
  const body = JSON.stringify({ errorMessage: message, code: 'bad_request' });
  return `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`;
}
