/** What every resource is made of: operations with a method, a path and the ids in it. */
import { APIPromise } from '../api-promise.ts';
import { type FindNext, nextByCursor, type PageMeta, type PageParams, type PagePromise, paged } from '../page.ts';
import type { IdNames, Ids, Query } from '../paths.ts';
import { unlessAborted } from '../retries.ts';
import { type Answer, type Method, type Operation, parseAnswer, type RequestOptions, type Transport } from '../transport.ts';
import type { WorkspaceScope } from '../workspace-scope.ts';

/** Ids are needed where the path has any but those that are filled in. */
type Given<Path extends string, Filled extends string> = Omit<Operation, 'ids'> &
  ([Exclude<IdNames<Path>, Filled>] extends [never] ? { readonly ids?: never } : { readonly ids: Omit<Ids<Path>, Filled> });

type Listing<Path extends string, Filled extends string> = Pick<Given<Path, Filled>, 'ids'> & {
  /** What the list is called in the answer. */
  readonly key: string;
  readonly query?: object;
  readonly findNext?: FindNext;
};

abstract class Operations<Filled extends string> {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The ids that the resource knows by itself. */
  protected abstract filledIds(options: RequestOptions | undefined): Promise<Readonly<Record<string, string>>>;

  protected request<const Path extends string, T>(
    method: Method,
    path: Path,
    operation: Given<Path, Filled>,
    options?: RequestOptions,
  ): APIPromise<T> {
    return this.requestAs<Path, T>(parseAnswer, method, path, operation, options);
  }

  /** What is read of the answer is the data. */
  protected requestAs<const Path extends string, T>(
    read: (answer: Answer) => T,
    method: Method,
    path: Path,
    operation: Given<Path, Filled>,
    options?: RequestOptions,
  ): APIPromise<T> {
    const answer = this.send(method, path, operation, options);
    return new APIPromise(answer.then(read), answer);
  }

  protected async send<const Path extends string>(
    method: Method,
    path: Path,
    operation: Given<Path, Filled>,
    options?: RequestOptions,
  ): Promise<Answer> {
    return this.#transport.send(method, path, await this.#complete(operation, options), options);
  }

  /** An answer that goes on. */
  protected async begin<const Path extends string>(path: Path, operation: Given<Path, Filled>, signal: AbortSignal): Promise<Response> {
    return this.#transport.begin(path, await this.#complete(operation, { signal }), signal);
  }

  protected get timeoutMs(): number {
    return this.#transport.timeoutMs;
  }

  protected warn(line: string): void {
    this.#transport.warn(line);
  }

  protected listing<const Path extends string, Item>(
    path: Path,
    { key, query = {}, findNext = nextByCursor, ids }: Listing<Path, Filled>,
    options?: RequestOptions,
  ): PagePromise<Item> {
    const { limit, offset, cursor, ...filters } = query as PageParams;
    const start = {
      ...(limit !== undefined && { limit }),
      ...(offset !== undefined && { offset }),
      ...(cursor !== undefined && { cursor }),
    };
    const read = async (page: PageParams) => {
      const operation = await this.#complete({ ids, query: { ...(filters as Query), ...page } }, options);
      const answer = parseAnswer<{ [key: string]: Item[] } & { _meta: PageMeta }>(
        await this.#transport.send('GET', path, operation, options),
      );
      return { data: answer[key] as Item[], meta: answer._meta };
    };
    return paged(read, start, findNext);
  }

  async #complete(
    operation: Omit<Operation, 'ids'> & { readonly ids?: object | undefined },
    options: RequestOptions | undefined,
  ): Promise<Operation> {
    return { ...operation, ids: { ...(operation.ids as Record<string, string> | undefined), ...(await this.filledIds(options)) } };
  }
}

/** A resource that belongs to no workspace, or whose workspace is named in each call. */
export abstract class Resource extends Operations<never> {
  protected override async filledIds(): Promise<Readonly<Record<string, string>>> {
    return {};
  }
}

/** A resource of one workspace: its id goes without saying. */
export abstract class WorkspaceResource extends Operations<'workspaceId'> {
  readonly #scope: WorkspaceScope;

  constructor(transport: Transport, scope: WorkspaceScope) {
    super(transport);
    this.#scope = scope;
  }

  protected override async filledIds(options: RequestOptions | undefined): Promise<Readonly<Record<string, string>>> {
    return { workspaceId: await unlessAborted(this.#scope.id(), options?.signal) };
  }
}
