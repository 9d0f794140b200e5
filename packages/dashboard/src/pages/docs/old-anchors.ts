/** `/docs#createAgent` and `/docs#tag/Agents`, as links from before have it. */
export function readOldAnchor(hash: string): { readonly operation: string } | { readonly tag: string } | undefined {
  try {
    const [, tag, operation] = /^(?:tag\/(.+)|(\w+))$/.exec(decodeURIComponent(hash)) ?? [];
    if (tag) return { tag };
    return operation && operation !== 'main' ? { operation } : undefined;
  } catch {
    return undefined;
  }
}
