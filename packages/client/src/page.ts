/** Lists: a page and an async iterator at once. */

export interface PageMeta {
  /** The size that was asked for. */
  limit: number;
  offset: number;
  /** Of all pages together. */
  total: number;
  /** Names the next page. */
  cursor?: string;
}

export interface PageParams {
  /** How many on a page, 1 to 100. Default: 50. */
  limit?: number;
  /** How many to pass over. */
  offset?: number;
  /** `meta.cursor` of the page before. */
  cursor?: string;
}

/** Reads the page that these parameters name. */
export type ReadPage<Item> = (params: PageParams) => Promise<{ data: Item[]; meta: PageMeta }>;

/** What names the page after this one; undefined after the last. */
export type FindNext = (page: { data: readonly unknown[]; meta: PageMeta }) => PageParams | undefined;

/** Most lists: the service says where the next page begins. */
export const nextByCursor: FindNext = ({ meta }) => (meta.cursor === undefined ? undefined : { cursor: meta.cursor });

/** Those without a cursor. A page may end early, so that what came counts, and not what was asked for. */
export const nextByOffset: FindNext = ({ data, meta }) => {
  const offset = meta.offset + data.length;
  return data.length > 0 && offset < meta.total ? { offset } : undefined;
};

export class Page<Item> implements AsyncIterable<Item> {
  readonly data: Item[];
  readonly meta: PageMeta;
  readonly #next: PageParams | undefined;
  readonly #read: (params: PageParams) => Promise<Page<Item>>;

  constructor(data: Item[], meta: PageMeta, next: PageParams | undefined, read: (params: PageParams) => Promise<Page<Item>>) {
    this.data = data;
    this.meta = meta;
    this.#next = next;
    this.#read = read;
  }

  hasNextPage(): boolean {
    return this.#next !== undefined;
  }

  /** Throws a RangeError after the last page; ask `hasNextPage()`. */
  async getNextPage(): Promise<Page<Item>> {
    if (!this.#next) throw new RangeError('This is the last page');
    return this.#read(this.#next);
  }

  /** This page and those after it. */
  async *iterPages(): AsyncGenerator<Page<Item>, void, undefined> {
    let page: Page<Item> = this;
    yield page;
    while (page.hasNextPage()) {
      page = await page.getNextPage();
      yield page;
    }
  }

  /** The items of this page and of those after it. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.iterPages()) yield* page.data;
  }
}

/** What a list gives: `await` it for its first page, or `for await` over all of its items. Asks when first needed. */
export class PagePromise<Item> implements Promise<Page<Item>>, AsyncIterable<Item> {
  readonly [Symbol.toStringTag] = 'PagePromise';
  readonly #read: () => Promise<Page<Item>>;
  #first: Promise<Page<Item>> | undefined;

  constructor(read: () => Promise<Page<Item>>) {
    this.#read = read;
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise, and more.
  then<Done = Page<Item>, Failed = never>(
    onDone?: ((page: Page<Item>) => Done | PromiseLike<Done>) | null,
    onFailed?: ((reason: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Done | Failed> {
    this.#first ??= this.#read();
    return this.#first.then(onDone, onFailed);
  }

  catch<Failed = never>(onFailed?: ((reason: unknown) => Failed | PromiseLike<Failed>) | null): Promise<Page<Item> | Failed> {
    return this.then(undefined, onFailed);
  }

  finally(onEnd?: (() => void) | null): Promise<Page<Item>> {
    return this.then().finally(onEnd);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    yield* await this;
  }
}

/** A list, from the function that reads one page of it. */
export function paged<Item>(read: ReadPage<Item>, params: PageParams, findNext: FindNext = nextByCursor): PagePromise<Item> {
  const readPage = async (at: PageParams): Promise<Page<Item>> => {
    const { data, meta } = await read({ ...(params.limit !== undefined && { limit: params.limit }), ...at });
    return new Page(data, meta, findNext({ data, meta }), readPage);
  };
  const { limit: _, ...first } = params;
  return new PagePromise(() => readPage(first));
}
