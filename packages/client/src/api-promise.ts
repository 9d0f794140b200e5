/** What an operation gives: a promise of its data, which can also show the answer that it came in. */

/** Of an answer, without its body: that is the data. */
export interface APIResponse {
  readonly status: number;
  readonly headers: Headers;
}

export interface WithResponse<T> {
  data: T;
  response: APIResponse;
  /** Finds the request in the service’s log. */
  requestId: string | undefined;
}

export class APIPromise<T> extends Promise<T> {
  readonly #response: Promise<APIResponse>;

  /** What follows by `then` is a promise as any other. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  constructor(data: Promise<T>, response: Promise<APIResponse>) {
    super((resolve) => resolve(data));
    this.#response = response;
    // Who asks for it hears of it; and so does, by the data, whoever does not.
    response.catch(() => undefined);
  }

  /** The data with the status and the headers of its answer. */
  async withResponse(): Promise<WithResponse<T>> {
    const [data, { status, headers }] = await Promise.all([this, this.#response]);
    return { data, response: { status, headers }, requestId: headers.get('x-request-id') ?? undefined };
  }

  /** The same answer, of which something else is read. */
  map<Other>(read: (data: T) => Other): APIPromise<Other> {
    return new APIPromise(this.then(read), this.#response);
  }

  /** For a call that needs something first. */
  static after<Ready, T>(ready: Promise<Ready>, call: (ready: Ready) => APIPromise<T>): APIPromise<T> {
    // In a list: a promise of a promise would be its result.
    const called = ready.then((value) => [call(value)] as const);
    return new APIPromise(
      called.then(([promise]) => promise),
      called.then(([promise]) => promise.#response),
    );
  }
}
