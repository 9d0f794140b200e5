/** What an OpenAI-compatible embeddings endpoint is called and answers. Neither the key nor a text ever stands in an error. */
import { LARGE_BYTES } from '../../lanes/loop-turns.ts';
import type { Log } from '../../logging.ts';
import type { Service } from '../../remote/endpoint.ts';
import { TryFailed } from '../../remote/post.ts';
import { moduleBeside } from '../../threads/thread-file.ts';
import { ThreadPool } from '../../threads/thread-pool.ts';
import { EmbedderUnavailable, EmbedderUnusable } from './embedder.ts';
import { type AnsweredVectors, type AnswerProblem, readAnswer } from './endpoint-answers.ts';

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
  // An import that uses up what the endpoint allows in a minute must not keep the queries from being asked.
  isAskedWhenBusy: true,
  unusable: (message) => new EmbedderUnusable(message),
  unavailable: (message, details) => new EmbedderUnavailable(message, details),
};

/** Reads answers, the large ones in a thread: as lists of numbers they take a hundred milliseconds. */
export class AnswerReader {
  readonly #threads: ThreadPool<typeof import('./endpoint-answers.ts')>;

  constructor(log: Log | undefined) {
    const module = moduleBeside(import.meta.url, 'endpoint-answers');
    this.#threads = new ThreadPool({ name: 'embedding-answers', module, log, warnAfterMs: 2_000 });
  }

  /**
   * One vector a text, in their order. Throws `EmbedderUnusable` where another try would not help. Where some may be kept, they are copies: one
   * that is kept would keep the others.
   */
  async read(body: Uint8Array, count: number, mayBeKept: boolean): Promise<Float32Array[]> {
    const answer = body.byteLength < LARGE_BYTES ? readAnswer(body, count) : await this.#threads.run('readAnswer', body, count);
    if ('problem' in answer) throw errorOf(answer);
    return separate(answer, count, mayBeKept);
  }

  close(): Promise<void> {
    return this.#threads.close();
  }
}

function errorOf({ problem, message }: AnswerProblem): Error {
  if (problem === 'broken') return new TryFailed(`${embeddings.name} answered with ${message}`);
  return new (problem === 'unusual' ? EmbedderUnavailable : EmbedderUnusable)(`${embeddings.name} answered ${message}.`);
}

function separate({ vectors, dimensions }: AnsweredVectors, count: number, asCopies: boolean): Float32Array[] {
  const part = asCopies ? vectors.slice.bind(vectors) : vectors.subarray.bind(vectors);
  return Array.from({ length: count }, (_, index) => part(index * dimensions, (index + 1) * dimensions));
}
