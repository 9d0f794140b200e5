/** For changes that are answered with a secret: the cache drops it with the dialog that shows it. */
export const shownOnce = { gcTime: 0 } as const;
