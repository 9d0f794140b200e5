/** More requests at once would crowd out those of the page. */
const MOST_AT_ONCE = 4;

/** Does it for each, a few at a time. Goes on after a failure, and throws the first one at the end. */
export async function forEachFewAtOnce<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
  const left = items.values();
  let failure: { readonly error: unknown } | undefined;
  const workThrough = async () => {
    // One iterator for all: each item is taken once.
    for (const item of left) {
      try {
        await work(item);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: MOST_AT_ONCE }, workThrough));
  if (failure) throw failure.error;
}
