/** What `doctor` says of one thing: that it is fine, to be looked at, or wrong. */
export type Mark = '✓' | '!' | '✗';

export interface Finding {
  readonly mark: Mark;
  readonly text: string;
}

export const fine = (text: string): Finding => ({ mark: '✓', text });
export const doubtful = (text: string): Finding => ({ mark: '!', text });
export const wrong = (text: string): Finding => ({ mark: '✗', text });

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
