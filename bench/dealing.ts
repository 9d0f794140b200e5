/** Work dealt out like cards: each caller gets its own, and where there is less than one for each, callers share. */
export function dealOut<T>(work: readonly T[], callers: number): T[][] {
  return Array.from({ length: callers }, (_, caller) =>
    work.length <= callers ? work.slice(caller % work.length).slice(0, 1) : work.filter((_, index) => index % callers === caller),
  );
}
