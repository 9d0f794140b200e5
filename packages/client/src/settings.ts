/** What a client is told, by its options and by the environment. */
import { CommonplaceError } from './errors.ts';

/** `console` is one, and so are the loggers of pino and winston. */
export interface Logger {
  debug?(message: string): void;
  warn?(message: string): void;
}

/** `warn` tells of retries, `debug` of every answer too. */
export type LogLevel = 'off' | 'error' | 'warn' | 'info' | 'debug';

export interface ClientOptions {
  /** Where the service is: `https://commonplace.example`. Default: `COMMONPLACE_URL`, else `http://127.0.0.1:8080`. */
  baseUrl?: string | undefined;
  /** A workspace’s access key. Default: `COMMONPLACE_ACCESS_KEY`. */
  accessKey?: string | undefined;
  /** A user’s API key, in place of an access key. Default: `COMMONPLACE_API_KEY`. */
  apiKey?: string | undefined;
  /** Default: `COMMONPLACE_WORKSPACE_ID`, else the workspace of the access key. */
  workspaceId?: string | undefined;
  /** Of one try. Default: 60,000. */
  timeoutMs?: number | undefined;
  /** How often a request is sent again that failed for a reason that passes. Default: 3. */
  maxRetries?: number | undefined;
  /** Sent with every request. */
  defaultHeaders?: Readonly<Record<string, string>> | undefined;
  /** In place of the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Given to `fetch` with every request, for what a runtime adds to it: a `dispatcher`, a `proxy`, a `cache`. */
  fetchOptions?: FetchOptions | undefined;
  /**
   * Prompts that were read are told of changes by events, and not used any more once there is another: one connection for each workspace
   * whose prompts are read, open until `close()`. Default: false.
   */
  livePrompts?: boolean | undefined;
  /** Default: `console` where there is a `logLevel`, else none. */
  logger?: Logger | undefined;
  /** Default: `warn` where there is a `logger`, else `off`. */
  logLevel?: LogLevel | undefined;
}

/** Method, headers, body and signal stay those of the request. */
export type FetchOptions = RequestInit | Readonly<Record<string, unknown>>;

export interface Settings {
  readonly baseUrl: string;
  readonly credential: Readonly<Record<string, string>>;
  readonly hasAccessKey: boolean;
  readonly workspaceId: string | undefined;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly defaultHeaders: Readonly<Record<string, string>>;
  readonly fetch: typeof globalThis.fetch;
  readonly fetchOptions: FetchOptions;
  readonly livePrompts: boolean;
  readonly logger: Logger;
}

const API_PATH = '/api/v1';

export function readSettings(options: ClientOptions): Settings {
  const { accessKey, apiKey } = readKeys(options);
  return {
    baseUrl: addressOf(options.baseUrl ?? readVariable('COMMONPLACE_URL') ?? 'http://127.0.0.1:8080'),
    credential: accessKey !== undefined ? { 'x-access-key': accessKey } : apiKey !== undefined ? { 'x-api-key': apiKey } : {},
    hasAccessKey: accessKey !== undefined,
    workspaceId: options.workspaceId ?? readVariable('COMMONPLACE_WORKSPACE_ID'),
    timeoutMs: options.timeoutMs ?? 60_000,
    maxRetries: options.maxRetries ?? 3,
    defaultHeaders: options.defaultHeaders ?? {},
    // Looked up at each call, and called on nothing: browsers refuse it as a method of something else.
    fetch: options.fetch ?? ((...args) => globalThis.fetch(...args)),
    fetchOptions: options.fetchOptions ?? {},
    livePrompts: options.livePrompts ?? false,
    logger: loggerOf(options),
  };
}

function loggerOf({ logger, logLevel = logger ? 'warn' : 'off' }: ClientOptions): Logger {
  if (logLevel === 'off' || logLevel === 'error') return {};
  const { warn, debug } = bound(logger ?? console);
  return { warn, ...(logLevel === 'debug' && { debug }) };
}

/** A logger may need to be `this`. */
function bound(logger: Logger): Required<Logger> {
  return { warn: (line) => logger.warn?.(line), debug: (line) => logger.debug?.(line) };
}

/** A key that is given leaves those of the environment aside; there, an access key goes before an API key. */
function readKeys({ accessKey, apiKey }: ClientOptions): { accessKey?: string | undefined; apiKey?: string | undefined } {
  if (accessKey !== undefined && apiKey !== undefined) throw new CommonplaceError('Give the client an accessKey or an apiKey, not both');
  if (accessKey !== undefined) return { accessKey: requireKey('accessKey', accessKey) };
  if (apiKey !== undefined) return { apiKey: requireKey('apiKey', apiKey) };
  const found = readVariable('COMMONPLACE_ACCESS_KEY');
  if (found !== undefined) return { accessKey: requireKey('COMMONPLACE_ACCESS_KEY', found) };
  const ofUser = readVariable('COMMONPLACE_API_KEY');
  return ofUser === undefined ? {} : { apiKey: requireKey('COMMONPLACE_API_KEY', ofUser) };
}

/** Runtimes show a header that they refuse in their error: what can't be a header is refused here, and not shown. */
function requireKey(name: string, key: string): string {
  const trimmed = key.trim();
  if (/^[!-~]+$/.test(trimmed)) return trimmed;
  throw new CommonplaceError(`${name} is empty, or has a space, a line break or another character that no key has`);
}

/** With or without a slash or `/api/v1` at its end. */
function addressOf(url: string): string {
  const { protocol, username, password } = URL.canParse(url) ? new URL(url) : {};
  if (protocol !== 'http:' && protocol !== 'https:') throw new CommonplaceError('baseUrl must begin with http:// or https://');
  if (username || password) throw new CommonplaceError('baseUrl must not hold a name or password: send them in defaultHeaders');
  let end = url.length;
  while (url[end - 1] === '/') end--;
  const trimmed = url.slice(0, end);
  return trimmed.endsWith(API_PATH) ? trimmed : trimmed + API_PATH;
}

export function readVariable(name: string): string | undefined {
  try {
    const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
    return process?.env?.[name]?.trim() || undefined;
  } catch {
    // Deno, without the permission to read it.
    return undefined;
  }
}
