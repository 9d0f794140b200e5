/** An embedding thread: all-MiniLM-L6-v2 on one processor, one text a run, queries before the rest. */
import { readFileSync } from 'node:fs';
import type { InferenceSession } from 'onnxruntime-node';
import { type ServedThread, serveThread, type Transferred, transfer } from '../../threads/serve.ts';
import { normalize, type QuestionTokens } from './embedder.ts';
import { findModelDir, LOCAL_DIMENSIONS, verifyModelFiles } from './model-files.ts';
import { type GuardCells, insideNative, leaveNative, throwIfEnding } from './native-guard.ts';
import { loadOnnxruntime, type Onnxruntime } from './onnxruntime.ts';
import type { EmbeddedGroup, EmbeddingData, EmbeddingQuestions, Group } from './protocol.ts';
import { codeTokens, questionTokensOf } from './token-codes.ts';
import { type EncodedText, Tokenizer } from './tokenizer.ts';

/** The rest of a longer text is not read. */
const MAX_TOKENS = 256;
const ERRORS_ONLY = 3;

interface Model {
  readonly guard: GuardCells;
  readonly tokenizer: Tokenizer;
  readonly onnx: Onnxruntime;
  readonly session: InferenceSession;
  readonly hasTokens: boolean;
}

/** A group under way: its texts as tokens, the shortest first. */
interface Work extends PromiseWithResolvers<Transferred<EmbeddedGroup>> {
  readonly group: Group;
  readonly vectors: Float32Array;
  readonly tokenCodes: Uint8Array[];
  readonly questionTokens: QuestionTokens[];
  readonly left: { readonly index: number; readonly text: EncodedText }[];
}

async function load({ modelDir, guard, hasTokens }: EmbeddingData): Promise<Model> {
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
  return { guard, onnx, session, hasTokens, tokenizer: new Tokenizer(readFileSync(tokenizer, 'utf8')) };
}

/** The states of all tokens. One text alone: with int8 weights they depend on what shares its batch. */
async function runModel({ guard, onnx, session }: Model, ids: readonly number[]): Promise<Float32Array> {
  const shape = [1, ids.length];
  const tensor = (values: BigInt64Array) => new onnx.Tensor('int64', values, shape);
  const inputs = {
    input_ids: tensor(BigInt64Array.from(ids, BigInt)),
    attention_mask: tensor(new BigInt64Array(ids.length).fill(1n)),
    token_type_ids: tensor(new BigInt64Array(ids.length)),
  };
  const { last_hidden_state: output } = await insideNative(guard, () => session.run(inputs));
  return output?.data as Float32Array;
}

function vectorOf(states: Float32Array): Float32Array {
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

  embed(group: Group): Promise<Transferred<EmbeddedGroup>> {
    const left = group.texts
      .map((text, index) => ({ index, text: this.#model.tokenizer.encodeWords(text, MAX_TOKENS) }))
      // Texts of one length after the other use the same buffers again.
      .sort((one, other) => one.text.ids.length - other.text.ids.length);
    const work: Work = {
      ...Promise.withResolvers<Transferred<EmbeddedGroup>>(),
      ...{ group, left, vectors: new Float32Array(left.length * LOCAL_DIMENSIONS), tokenCodes: [], questionTokens: [] },
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
      const next = work.left.shift();
      try {
        if (next) await this.#embedOne(work, next.text, next.index);
        if (work.left.length > 0) continue;
        const { vectors, tokenCodes, questionTokens } = work;
        const buffers = [vectors, ...tokenCodes, ...questionTokens.map(({ components }) => components)].map(({ buffer }) => buffer);
        work.resolve(transfer({ vectors, tokenCodes, questionTokens }, buffers as ArrayBuffer[]));
      } catch (error) {
        work.reject(error);
      }
      this.#queueOf(work).shift();
    }
  }

  async #embedOne(work: Work, text: EncodedText, index: number): Promise<void> {
    const { hasTokens } = this.#model;
    const states = await runModel(this.#model, text.ids);
    work.vectors.set(vectorOf(states), index * LOCAL_DIMENSIONS);
    if (!hasTokens) return;
    work.tokenCodes[index] = codeTokens(states, text, LOCAL_DIMENSIONS);
    if (work.group.priority === 'query') work.questionTokens[index] = questionTokensOf(states, text, LOCAL_DIMENSIONS);
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
