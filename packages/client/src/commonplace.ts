/** The client: every operation of the API, and handles for what people do all day. */
import {
  APIConnectionError,
  APIConnectionTimeoutError,
  APIError,
  APIUserAbortError,
  AuthenticationError,
  BadRequestError,
  CommonplaceError,
  ConflictError,
  InternalServerError,
  NotFoundError,
  PayloadTooLargeError,
  PermissionDeniedError,
  RateLimitError,
  ServiceUnavailableError,
  UnsupportedMediaTypeError,
  WaitTimeoutError,
} from './errors.ts';
import { LivePrompts } from './live-prompts.ts';
import { PromptCache } from './prompt-cache.ts';
import { ApiKeys } from './resources/api-keys.ts';
import { Auth } from './resources/auth.ts';
import { IndexingFailedError } from './resources/documents.ts';
import { Health } from './resources/health.ts';
import { Me } from './resources/me.ts';
import { Workspaces } from './resources/workspaces.ts';
import { type ClientOptions, readSettings } from './settings.ts';
import { Transport } from './transport.ts';
import { WorkspaceResources } from './workspace-resources.ts';
import { WorkspaceScope } from './workspace-scope.ts';

/** Its own `agents`, `prompts`, … are those of its workspace; `workspace(id)` gives those of another. */
export class Commonplace extends WorkspaceResources {
  static readonly CommonplaceError = CommonplaceError;
  static readonly APIError = APIError;
  static readonly BadRequestError = BadRequestError;
  static readonly AuthenticationError = AuthenticationError;
  static readonly PermissionDeniedError = PermissionDeniedError;
  static readonly NotFoundError = NotFoundError;
  static readonly ConflictError = ConflictError;
  static readonly PayloadTooLargeError = PayloadTooLargeError;
  static readonly UnsupportedMediaTypeError = UnsupportedMediaTypeError;
  static readonly RateLimitError = RateLimitError;
  static readonly InternalServerError = InternalServerError;
  static readonly ServiceUnavailableError = ServiceUnavailableError;
  static readonly APIConnectionError = APIConnectionError;
  static readonly APIConnectionTimeoutError = APIConnectionTimeoutError;
  static readonly APIUserAbortError = APIUserAbortError;
  static readonly WaitTimeoutError = WaitTimeoutError;
  static readonly IndexingFailedError = IndexingFailedError;

  readonly workspaces: Workspaces;
  readonly apiKeys: ApiKeys;
  readonly me: Me;
  readonly auth: Auth;
  readonly health: Health;
  readonly #options: ClientOptions;
  readonly #transport: Transport;
  readonly #promptCache: PromptCache;
  readonly #livePrompts: LivePrompts | undefined;

  constructor(options: ClientOptions = {}) {
    const settings = readSettings(options);
    const transport = new Transport(settings);
    const promptCache = new PromptCache();
    const livePrompts = settings.livePrompts ? new LivePrompts(promptCache, settings.logger) : undefined;
    const me = new Me(transport);
    const scope = new WorkspaceScope(settings.workspaceId, settings.hasAccessKey ? () => workspaceOf(me) : undefined);
    super(transport, scope, promptCache, livePrompts);
    this.me = me;
    this.workspaces = new Workspaces(transport);
    this.apiKeys = new ApiKeys(transport);
    this.auth = new Auth(transport);
    this.health = new Health(transport);
    this.#options = options;
    this.#transport = transport;
    this.#promptCache = promptCache;
    this.#livePrompts = livePrompts;
  }

  /** Another client, as this one but for what is told; its prompts are cached apart. */
  withOptions(options: ClientOptions): Commonplace {
    const { accessKey, apiKey, ...others } = this.#options;
    // A key takes the place of either kind.
    const keys = options.accessKey === undefined && options.apiKey === undefined ? { accessKey, apiKey } : {};
    return new Commonplace({ ...others, ...keys, ...options });
  }

  /** What is in another workspace than that of the client. */
  workspace(workspaceId: string): WorkspaceResources {
    return new WorkspaceResources(this.#transport, new WorkspaceScope(workspaceId), this.#promptCache, this.#livePrompts);
  }

  /** Ends the connections of `livePrompts`; everything else works on. */
  close(): void {
    this.#livePrompts?.close();
  }
}

/** An access key is of one workspace. */
async function workspaceOf(me: Me): Promise<string> {
  const { accessKey } = await me.get();
  if (!accessKey) throw new CommonplaceError('The key is no access key: give the client a workspaceId');
  return accessKey.workspaceId;
}
