/** The embedder that the configuration names. */
import type { Log } from '../../logging.ts';
import type { Endpoint } from '../../remote/endpoint.ts';
import type { Embedder } from './embedder.ts';
import { LocalEmbedder } from './local.ts';
import { LOCAL_MODEL, LOCAL_MODEL_WITH_TOKENS } from './model-files.ts';
import { QueryCache } from './query-cache.ts';
import { RemoteEmbedder } from './remote.ts';

interface EmbeddingsConfig {
  readonly embeddings?: Endpoint | undefined;
  /** Whether the model inside the process tells the tokens of texts too; it does so unless it is told not to. */
  readonly tokenVectors?: boolean | undefined;
}

/** Nothing is loaded and nobody is asked before the first use, or `ready()`. */
export function createEmbedder(config: EmbeddingsConfig, log?: Log): Embedder {
  const { embeddings, tokenVectors = true } = config;
  return new QueryCache(embeddings ? new RemoteEmbedder({ ...embeddings, log }) : new LocalEmbedder({ log, hasTokens: tokenVectors }));
}

/** The embedder of a model that was configured before, where it can still be had: inside the process, or at the same endpoint. */
export function createFormerEmbedder(model: string, { embeddings }: EmbeddingsConfig, log?: Log): Embedder | undefined {
  if (model === LOCAL_MODEL || model === LOCAL_MODEL_WITH_TOKENS)
    return createEmbedder({ tokenVectors: model === LOCAL_MODEL_WITH_TOKENS }, log);
  if (!embeddings) return undefined;
  const [, name] = /^(.*)@[^@]*$/.exec(model) ?? [];
  if (name === undefined) return undefined;
  const former = createEmbedder({ embeddings: { ...embeddings, model: name } }, log);
  return former.model === model ? former : undefined;
}
