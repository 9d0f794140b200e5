/** An embedding thread: all-MiniLM-L6-v2 on one processor, one text a run, queries before the rest. */
import { readFileSync } from 'node:fs';
import type { InferenceSession } from 'onnxruntime-node';
import { type ServedThread, serveThread, type Transferred, transfer } from '../../threads/serve.ts';
import { normalize } from './embedder.ts';
import { findModelDir, LOCAL_DIMENSIONS, verifyModelFiles } from './model-files.ts';
import { type GuardCells, insideNative, leaveNative, throwIfEnding } from './native-guard.ts';
import { loadOnnxruntime, type Onnxruntime } from './onnxruntime.ts';
import type { EmbeddingData, EmbeddingQuestions, Group } from './protocol.ts';
import { Tokenizer } from './tokenizer.ts';

/** The rest of a longer text is not read. */
const MAX_TOKENS = 256;
const ERRORS_ONLY = 3;

interface Model {
  readonly guard: GuardCells;
  readonly tokenizer: Tokenizer;
  readonly onnx: Onnxruntime;
  readonly session: InferenceSession;
}

/** A group under way: its texts as tokens, the shortest first. */
interface Work extends PromiseWithResolvers<Transferred<Float32Array>> {
  readonly group: Group;
  readonly vectors: Float32Array;
  readonly left: { readonly index: number; readonly ids: readonly number[] }[];
}

async function load({ modelDir, guard }: EmbeddingData): Promise<Model> {
  const { network, tokenizer } = verifyModelFiles(modelDir ?? findModelDir());
  throwIfEnding(guard);
  const onnx = loadOnnxruntime();
  const session = await onnx.InferenceSession.create(network, {
    // Each thread has a text of its own; local.ts decides how many there are.
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    logSeverityLevel: ERRORS_ONLY,
  });
  return { guard, onnx, session, tokenizer: new Tokenizer(readFileSync(tokenizer, 'utf8')) };
}

/** One text alone: with int8 weights a vector depends on what shares its batch. */
async function embedOne({ guard, onnx, session }: Model, ids: readonly number[]): Promise<Float32Array> {
  const shape = [1, ids.length];
  const tensor = (values: BigInt64Array) => new onnx.Tensor('int64', values, shape);
  const inputs = {
    input_ids: tensor(BigInt64Array.from(ids, BigInt)),
    attention_mask: tensor(new BigInt64Array(ids.length).fill(1n)),
    token_type_ids: tensor(new BigInt64Array(ids.length)),
  };
  const { last_hidden_state: output } = await insideNative(guard, () => session.run(inputs));
  const states = output?.data as Float32Array;
  // The sum over the tokens points where their mean does, and only the direction is kept.
  const vector = new Float32Array(LOCAL_DIMENSIONS);
  for (let at = 0; at < states.length; at += LOCAL_DIMENSIONS) {
    for (let index = 0; index < LOCAL_DIMENSIONS; index++) vector[index] = (vector[index] as number) + (states[at + index] as number);
  }
  if (!normalize(vector)) throw new Error('The model gave a vector without a direction');
  return vector;
}

class GroupQueue {
  readonly #thread: ServedThread;
  readonly #model: Model;
  readonly #queries: Work[] = [];
  readonly #background: Work[] = [];
  #running: Promise<void> | undefined;
  #stopping = false;

  constructor(thread: ServedThread, model: Model) {
    this.#thread = thread;
    this.#model = model;
  }

  embed(group: Group): Promise<Transferred<Float32Array>> {
    const left = group.texts
      .map((text, index) => ({ index, ids: this.#model.tokenizer.encode(text, MAX_TOKENS) }))
      // Texts of one length after the other use the same buffers again.
      .sort((one, other) => one.ids.length - other.ids.length);
    const work: Work = {
      ...Promise.withResolvers<Transferred<Float32Array>>(),
      ...{ group, left, vectors: new Float32Array(left.length * LOCAL_DIMENSIONS) },
    };
    this.#queueOf(work).push(work);
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return work.promise;
  }

  /** After the text under way; the rest is not answered. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#running;
    await insideNative(this.#model.guard, () => this.#model.session.release());
  }

  async #run(): Promise<void> {
    // What arrives together is known before the first of it is chosen.
    await undefined;
    for (let work = this.#next(); work; work = this.#next()) {
      const text = work.left.shift();
      try {
        if (text) work.vectors.set(await embedOne(this.#model, text.ids), text.index * LOCAL_DIMENSIONS);
        if (work.left.length > 0) continue;
        work.resolve(transfer(work.vectors, [work.vectors.buffer as ArrayBuffer]));
      } catch (error) {
        work.reject(error);
      }
      this.#queueOf(work).shift();
    }
  }

  /** Looks for what has arrived meanwhile, so that a query waits for one text and not for two. */
  #next(): Work | undefined {
    this.#thread.receive();
    return this.#stopping ? undefined : (this.#queries[0] ?? this.#background[0]);
  }

  #queueOf({ group }: Work): Work[] {
    return group.priority === 'query' ? this.#queries : this.#background;
  }
}

serveThread<EmbeddingQuestions, EmbeddingData>(async (data, thread) => {
  try {
    const queue = new GroupQueue(thread, await load(data));
    thread.onStop(() => queue.stop());
    return { embed: (group) => queue.embed(group) };
  } finally {
    leaveNative(data.guard);
  }
});
