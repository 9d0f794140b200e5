/** What pages hold in memory for one person, and drop when that person leaves. */
const cleaners = new Set<() => void>();

/** Called after the sign-in has ended and before the page is loaded anew. */
export function beforeLeaving(clean: () => void): void {
  cleaners.add(clean);
}

export function cleanUp(): void {
  for (const clean of cleaners) clean();
}
