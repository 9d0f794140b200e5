/** The index had to make room, or its thread was started anew: what it held must be loaded again. */
export class ScopeLost extends Error {
  constructor() {
    super('The search index made room for others');
    this.name = 'ScopeLost';
  }
}

/** What a thread of the indexes answers of a scope that it holds. */
export function requireLoaded<T>(answer: T | undefined): T {
  if (answer === undefined) throw new ScopeLost();
  return answer;
}

/** For what there is nothing to do about where it holds nothing any more. */
export function ignoreLost(error: unknown): void {
  if (!(error instanceof ScopeLost)) throw error;
}
