/** What the package offers. */
// biome-ignore-all lint/performance/noBarrelFile: the one file that a package must have.
export type { APIPromise, APIResponse, WithResponse } from './api-promise.ts';
// By default too, as people import the SDKs of models.
// biome-ignore lint/style/noDefaultExport: the one file that others import.
export { Commonplace, Commonplace as default } from './commonplace.ts';
export {
  APIConnectionError,
  APIConnectionTimeoutError,
  APIError,
  APIUserAbortError,
  AuthenticationError,
  BadRequestError,
  CommonplaceError,
  ConflictError,
  type ErrorDetail,
  InternalServerError,
  NotFoundError,
  PayloadTooLargeError,
  PermissionDeniedError,
  RateLimitError,
  ServiceUnavailableError,
  UnsupportedMediaTypeError,
  WaitTimeoutError,
} from './errors.ts';
export type { Agent as AgentHandle } from './handles/agent.ts';
export type { Session as SessionHandle } from './handles/session.ts';
export type { Page, PageMeta, PageParams, PagePromise } from './page.ts';
export type { UploadProgress } from './progress.ts';
export type { PromptVariables } from './rendering.ts';
export { IndexingFailedError } from './resources/documents.ts';
export type { EventQuery, FollowOptions } from './resources/events.ts';
export type { PromptOptions } from './resources/prompts.ts';
export type { SessionSelector } from './resources/sessions.ts';
export type { ExportParams, ImportParams } from './resources/transfers.ts';
export type { ClientOptions, FetchOptions, Logger, LogLevel } from './settings.ts';
export type { RequestOptions } from './transport.ts';
export type * from './types.ts';
export type { UploadFields, UploadSource } from './uploads.ts';
export type { PromptFallback, UsablePrompt } from './usable-prompt.ts';
export { VERSION } from './version.ts';
export type { WaitOptions } from './waiting.ts';
export type { WorkspaceResources } from './workspace-resources.ts';
