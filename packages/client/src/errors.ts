/** What can go wrong, as classes: one for each status that the service answers, and those of the way to it. */

/** What is wrong with one field. */
export interface ErrorDetail {
  path: string;
  message: string;
}

/** Whatever this client throws. */
export class CommonplaceError extends Error {
  override name = 'CommonplaceError';
}

/** What the service said, as far as it is known. */
export interface Failure {
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly details?: ErrorDetail[] | undefined;
  readonly requestId?: string | undefined;
  readonly headers?: Headers | undefined;
  readonly cause?: unknown;
}

/** A request that failed, at the service or on the way there. */
export class APIError extends CommonplaceError {
  override name = 'APIError';
  /** The service’s sentence of what was wrong; the same as `message`. */
  readonly errorMessage: string;
  /** Undefined where no answer came. */
  readonly status: number | undefined;
  /** For programs: `validation_failed`, `not_found`, … */
  readonly code: string | undefined;
  /** Of a 400: each field and its rule. */
  readonly details: ErrorDetail[];
  /** Finds the request in the service’s log. */
  readonly requestId: string | undefined;
  /** Of the answer. */
  readonly headers: Headers | undefined;

  constructor(errorMessage: string, { status, code, details, requestId, headers, cause }: Failure = {}) {
    super(errorMessage, cause === undefined ? undefined : { cause });
    this.errorMessage = errorMessage;
    this.status = status;
    this.code = code;
    this.details = details ?? [];
    this.requestId = requestId;
    this.headers = headers;
  }
}

/** 400: `details` names each field and rule. */
export class BadRequestError extends APIError {
  override name = 'BadRequestError';
}
/** 401: no key, or one that is not valid any more. */
export class AuthenticationError extends APIError {
  override name = 'AuthenticationError';
}
/** 403: the key may not do this. */
export class PermissionDeniedError extends APIError {
  override name = 'PermissionDeniedError';
}
/** 404: not there, or not visible to this key. */
export class NotFoundError extends APIError {
  override name = 'NotFoundError';
}
/** 409: in conflict with what is there. */
export class ConflictError extends APIError {
  override name = 'ConflictError';
}
/** 413: the body is larger than the route takes. */
export class PayloadTooLargeError extends APIError {
  override name = 'PayloadTooLargeError';
}
/** 415: the body is not of the type that the route takes. */
export class UnsupportedMediaTypeError extends APIError {
  override name = 'UnsupportedMediaTypeError';
}
/** 429: too much of this caller, also after the retries. */
export class RateLimitError extends APIError {
  override name = 'RateLimitError';
}
/** 500 and above: a fault of the service; `requestId` finds it in the log. */
export class InternalServerError extends APIError {
  override name = 'InternalServerError';
}
/** 503: the service can’t take the request now, also after the retries. */
export class ServiceUnavailableError extends InternalServerError {
  override name = 'ServiceUnavailableError';
}
/** No answer: nothing listens there, or the connection broke. */
export class APIConnectionError extends APIError {
  override name = 'APIConnectionError';
}
/** No answer within `timeoutMs`. */
export class APIConnectionTimeoutError extends APIConnectionError {
  override name = 'APIConnectionTimeoutError';
}
/** The `signal` of the request was aborted. */
export class APIUserAbortError extends APIError {
  override name = 'APIUserAbortError';
}
/** What was waited for did not come within `timeoutMs`. */
export class WaitTimeoutError extends CommonplaceError {
  override name = 'WaitTimeoutError';
}

const byStatus: Readonly<Record<number, new (errorMessage: string, failure: Failure) => APIError>> = {
  400: BadRequestError,
  401: AuthenticationError,
  403: PermissionDeniedError,
  404: NotFoundError,
  409: ConflictError,
  413: PayloadTooLargeError,
  415: UnsupportedMediaTypeError,
  429: RateLimitError,
  503: ServiceUnavailableError,
};

/** The error of an answer that is none of success; `text` may be anything where a proxy answered in place of the service. */
export function errorOf(status: number, headers: Headers, text: string): APIError {
  const body = parseFailure(text);
  const ErrorClass = byStatus[status] ?? (status >= 500 ? InternalServerError : APIError);
  return new ErrorClass(body.errorMessage ?? `The answer was ${status}, and no word of the service`, {
    status,
    headers,
    code: body.code,
    details: body.details,
    requestId: body.requestId ?? headers.get('x-request-id') ?? undefined,
  });
}

function parseFailure(text: string): Failure & { errorMessage?: string } {
  try {
    const body = JSON.parse(text);
    return typeof body?.errorMessage === 'string' ? body : {};
  } catch {
    return {};
  }
}
