/** The embedder that the configuration names. */
import type { Embedder, Log } from './embedder.ts';
import type { Endpoint } from './endpoint.ts';
import { LocalEmbedder } from './local.ts';
import { QueryCache } from './query-cache.ts';
import { RemoteEmbedder } from './remote.ts';

/** Nothing is loaded and nobody is asked before the first use, or `ready()`. */
export function createEmbedder(config: { readonly embeddings?: Endpoint | undefined }, log?: Log): Embedder {
  const { embeddings } = config;
  return new QueryCache(embeddings ? new RemoteEmbedder({ ...embeddings, log }) : new LocalEmbedder({ log }));
}
