/** How much is asked of a language model, how often, and for how long. */

export interface LlmLimits {
  /** For one try. */
  readonly timeoutMs: number;
  readonly maxTries: number;
  /** For all tries of one request and the waits between them, not for its wait until others are through. */
  readonly totalMs: number;
  /** The longest wait before the second try; it doubles with each one after. */
  readonly firstBackoffMs: number;
  readonly maxRequests: number;
  /** Requests that may wait for others; more are refused. */
  readonly maxWaiting: number;
  /** Failed tries in a row, after which nobody tries for `pauseMs`. */
  readonly breakAfter: number;
  readonly pauseMs: number;
  /** How long it is remembered which form of request the endpoint takes. */
  readonly formMs: number;
  /** In one request; more messages go in several, in order. */
  readonly maxMessages: number;
  readonly maxCharacters: number;
  /** Of a longer message its beginning and its end are shown. */
  readonly maxMessageCharacters: number;
  /** Of what the assistant said before a message; of more its end is shown. */
  readonly maxBeforeCharacters: number;
  /** Known memories in one request. */
  readonly maxKnown: number;
  readonly maxMemoriesPerMessage: number;
}

export const defaultLimits: LlmLimits = {
  timeoutMs: 30_000,
  maxTries: 3,
  totalMs: 90_000,
  firstBackoffMs: 500,
  maxRequests: 2,
  maxWaiting: 1_000,
  breakAfter: 4,
  pauseMs: 30_000,
  formMs: 3_600_000,
  maxMessages: 40,
  maxCharacters: 12_000,
  maxMessageCharacters: 8_000,
  maxBeforeCharacters: 600,
  maxKnown: 50,
  maxMemoriesPerMessage: 10,
};
