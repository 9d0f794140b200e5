import type { APIPromise } from '../api-promise.ts';
import { APIConnectionError, APIConnectionTimeoutError, APIError } from '../errors.ts';
import type { PageParams, PagePromise } from '../page.ts';
import type { PromptCache, ReadPrompt } from '../prompt-cache.ts';
import { parseAnswer, type RequestOptions, type Transport } from '../transport.ts';
import type { GetPromptByNameQuery, NewPrompt, Prompt, PromptChanges, PromptValues, PromptVersion, RenderedPrompt } from '../types.ts';
import { type PromptFallback, UsablePrompt } from '../usable-prompt.ts';
import type { WorkspaceScope } from '../workspace-scope.ts';
import { PromptVersions } from './prompt-versions.ts';
import { WorkspaceResource } from './resource.ts';

const prompts = '/workspaces/{workspaceId}/prompts';
const prompt = `${prompts}/{promptId}` as const;
const byName = '/workspaces/{workspaceId}/promptsByName/{promptName}';

const MAX_AGE_MS = 60_000;
/** With something else at hand nobody waits for long: a fallback, or what was read before. */
const SHORT_WAIT_MS = 2_000;

export interface PromptOptions extends Omit<RequestOptions, 'idempotencyKey'> {
  /** `latest` unless told, `production`, or a number. */
  version?: string | number;
  /** Used while the service can’t be reached and the prompt was not read before. */
  fallback?: PromptFallback;
  /** For so long a prompt that was read is used without asking. Default: 60,000. */
  maxAgeMs?: number;
}

export class Prompts extends WorkspaceResource {
  readonly versions: PromptVersions;
  readonly #cache: PromptCache;
  readonly #scope: WorkspaceScope;
  readonly #watch: () => void;

  constructor(transport: Transport, scope: WorkspaceScope, cache: PromptCache, watch: () => void) {
    super(transport, scope);
    this.versions = new PromptVersions(transport, scope);
    this.#cache = cache;
    this.#scope = scope;
    this.#watch = watch;
  }

  /**
   * A prompt by its handle or name, from the cache where it was read before. What is older than `maxAgeMs` is served too, while it
   * is read again in the background; what is told to have changed, with `livePrompts`, is asked for first.
   */
  async get(name: string, { version, fallback, maxAgeMs = MAX_AGE_MS, signal, ...options }: PromptOptions = {}): Promise<UsablePrompt> {
    const query = version === undefined ? {} : { version: String(version) };
    const shortMs = options.timeoutMs ?? SHORT_WAIT_MS;
    const waitMs = fallback === undefined ? undefined : shortMs;
    this.#watch();
    try {
      const key = JSON.stringify([this.#scope.key, name, query.version?.toLowerCase() ?? 'latest']);
      const read = (etag: string | undefined) => this.#read(name, query, etag, options, waitMs);
      const reader = { scope: this.#scope.key, maxAgeMs, waitMs: shortMs, hasFallback: fallback !== undefined, read, isDown };
      return UsablePrompt.fromVersion(await this.#cache.get(key, reader, signal));
    } catch (error) {
      if (fallback === undefined || !isDown(error)) throw error;
      return UsablePrompt.fromFallback(name, fallback);
    }
  }

  /** The same, always asked for. */
  getByName(name: string, query: GetPromptByNameQuery = {}, options?: RequestOptions): APIPromise<PromptVersion> {
    return this.request('GET', byName, { ids: { promptName: name }, query: { ...query } }, options);
  }

  /** Filled in by the service. */
  render(name: string, body: PromptValues = {}, query: GetPromptByNameQuery = {}, options?: RequestOptions): APIPromise<RenderedPrompt> {
    const operation = { ids: { promptName: name }, query: { ...query }, body, changesNothing: true } as const;
    return this.request('POST', `${byName}/render`, operation, options);
  }

  /** With its first version. */
  create(body: NewPrompt, options?: RequestOptions): APIPromise<Prompt> {
    return this.request('POST', prompts, { body }, options);
  }

  /** By handle. */
  list(query: PageParams = {}, options?: RequestOptions): PagePromise<Prompt> {
    return this.listing(prompts, { key: 'prompts', query }, options);
  }

  getById(promptId: string, options?: RequestOptions): APIPromise<Prompt> {
    return this.request('GET', prompt, { ids: { promptId } }, options);
  }

  update(promptId: string, body: PromptChanges, options?: RequestOptions): APIPromise<Prompt> {
    return this.request('PUT', prompt, { ids: { promptId }, body }, options);
  }

  /** With all its versions. */
  delete(promptId: string, options?: RequestOptions): APIPromise<void> {
    return this.request('DELETE', prompt, { ids: { promptId } }, options);
  }

  /** `waitMs` bounds all of it: the tries, and finding out which workspace it is. */
  async #read(
    name: string,
    query: GetPromptByNameQuery,
    etag: string | undefined,
    options: RequestOptions,
    waitMs: number | undefined,
  ): Promise<ReadPrompt> {
    const limit = waitMs === undefined ? undefined : AbortSignal.timeout(waitMs);
    const headers = etag === undefined ? {} : { 'if-none-match': etag };
    const operation = { ids: { promptName: name }, query: { ...query }, headers };
    try {
      const answer = await this.send('GET', byName, operation, { ...options, ...(limit && { signal: limit }) });
      return { version: answer.status === 304 ? undefined : parseAnswer(answer), etag: answer.headers.get('etag') ?? undefined };
    } catch (error) {
      throw limit?.aborted ? new APIConnectionTimeoutError(`No answer within ${waitMs} ms`, { cause: error }) : error;
    }
  }
}

/** Whether it says nothing of the prompt, but that the service can’t be reached. */
function isDown(error: unknown): boolean {
  if (error instanceof APIConnectionError) return true;
  return error instanceof APIError && error.status !== undefined && (error.status >= 500 || error.status === 429 || error.status === 408);
}
