/** Errors as codes. Each transport maps the codes in one exhaustive switch; none of them is an HTTP status here. */

export type ErrorCode =
  | 'bad_request'
  | 'validation_failed'
  | 'unauthenticated'
  | 'forbidden'
  | 'quota_exceeded'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'too_many_requests'
  | 'unavailable';

export interface ErrorDetail {
  path: string;
  message: string;
}

export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; details?: readonly ErrorDetail[]; retryAfterSeconds?: number } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** `notFound('Memory')`: another tenant's row and a row that never was read the same. */
export function notFound(resource: string): AppError {
  return new AppError('not_found', `${resource} not found`);
}

export function isNotFound(error: unknown): boolean {
  return error instanceof AppError && error.code === 'not_found';
}

export function conflict(message: string): AppError {
  return new AppError('conflict', message);
}

export function forbidden(message: string): AppError {
  return new AppError('forbidden', message);
}

export function invalid(path: string, message: string): AppError {
  return new AppError('validation_failed', message, { details: [{ path, message }] });
}
