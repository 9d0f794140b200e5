/** What an OpenAI-compatible embeddings endpoint is called and answers. Neither the key nor a text ever stands in an error. */
import type { Service } from '../../remote/endpoint.ts';
import { parseJson } from '../../remote/post.ts';
import { EmbedderUnavailable, EmbedderUnusable, normalize } from './embedder.ts';

export const embeddings: Service = {
  name: 'The embeddings endpoint',
  path: '/embeddings',
  variables: {
    url: 'COMMONPLACE_EMBEDDINGS_URL',
    model: 'COMMONPLACE_EMBEDDINGS_MODEL',
    apiKey: 'COMMONPLACE_EMBEDDINGS_API_KEY',
  },
  maxAnswerBytes: 32 * 1024 * 1024,
  readableRefusals: [400, 413, 422],
  unusable: (message) => new EmbedderUnusable(message),
  unavailable: (message, details) => new EmbedderUnavailable(message, details),
};

/** One vector a text, in their order. Throws `EmbedderUnusable` where another try would not help. */
export function readVectors(body: string, count: number): Float32Array[] {
  const answer = parseJson(embeddings, body) as { data?: unknown } | null;
  const data = answer?.data;
  if (!Array.isArray(data)) throw new EmbedderUnusable('The embeddings endpoint answered without a list called "data".');
  if (data.length !== count) throw new EmbedderUnusable(`The embeddings endpoint answered ${data.length} vectors for ${count} texts.`);
  const vectors: Float32Array[] = [];
  for (const [position, item] of (data as ({ index?: unknown; embedding?: unknown } | null)[]).entries()) {
    const index = item?.index ?? position;
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= count || vectors[index]) {
      throw new EmbedderUnusable('The embeddings endpoint answered vectors whose indexes do not match the texts.');
    }
    vectors[index] = readVector(item?.embedding);
  }
  return vectors;
}

function readVector(embedding: unknown): Float32Array {
  if (!Array.isArray(embedding) || !embedding.every((value) => typeof value === 'number')) {
    throw new EmbedderUnusable('The embeddings endpoint answered a vector that is not a list of numbers.');
  }
  const vector = Float32Array.from(embedding);
  if (!normalize(vector)) throw new EmbedderUnavailable('The embeddings endpoint answered a vector without a direction.');
  return vector;
}
