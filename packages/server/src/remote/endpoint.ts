/** An OpenAI-compatible endpoint: where it is, and what this service calls it. */

export interface Endpoint {
  /** As configured: what the path of the service is added to. */
  readonly url: string;
  readonly model: string;
  readonly apiKey?: string | undefined;
}

/** What an endpoint is used for, and how its failures are told. */
export interface Service {
  /** As messages begin: `The embeddings endpoint`. */
  readonly name: string;
  /** What is added to the configured address: `/embeddings`. */
  readonly path: string;
  /** The environment variables that configure it. */
  readonly variables: Readonly<Record<'url' | 'model' | 'apiKey', string>>;
  readonly maxAnswerBytes: number;
  /** Refusals that are read like an answer; all others are failures. */
  readonly readableRefusals?: readonly number[] | undefined;
  /** Whether the endpoint is asked on, by others, where it says that it was asked too often (429). */
  readonly isAskedWhenBusy?: boolean | undefined;
  /** The failure that stays until a person acts. */
  readonly unusable: (message: string) => Error;
  /** The failure that may pass. */
  readonly unavailable: (message: string, details: { readonly cause?: unknown; readonly retryAfterSeconds: number }) => Error;
}

/** The endpoint as it can be asked. Refuses what `fetch` would refuse with a message that quotes the secret. */
export function checkEndpoint({ path, variables, unusable }: Service, { url, model, apiKey }: Endpoint): Endpoint {
  const target = new URL(url);
  if (target.username || target.password) {
    throw unusable(`${variables.url} has a user or a password in it; use ${variables.apiKey}.`);
  }
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw unusable(`${variables.apiKey} has characters that a header can not carry.`);
  }
  target.pathname = `${target.pathname.replace(/\/+$/, '')}${path}`;
  return { url: target.href, model, apiKey };
}
