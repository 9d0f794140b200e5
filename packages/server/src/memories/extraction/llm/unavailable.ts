/** The language model can not be used, for now or as it is configured; the built-in extractor takes over. */
export class LlmUnavailable extends Error {
  readonly retryAfterSeconds: number;
  /** Used before it failed: they count, too. */
  tokens = 0;
  constructor(message: string, options: { cause?: unknown; retryAfterSeconds?: number } = {}) {
    super(message, { cause: options.cause });
    this.name = 'LlmUnavailable';
    this.retryAfterSeconds = options.retryAfterSeconds ?? 1;
  }
}
