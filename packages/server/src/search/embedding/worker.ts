/** An embedding thread: all-MiniLM-L6-v2 on one processor, one text a run, queries before the rest. */
import { readFileSync } from 'node:fs';
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { normalize } from './embedder.ts';
import { findModelDir, LOCAL_DIMENSIONS, verifyModelFiles } from './model-files.ts';
import { type GuardCells, insideNative, leaveNative } from './native-guard.ts';
import { type Group, type GroupReply, type Opened, type Request, STOP, type WorkerData } from './protocol.ts';
import { Tokenizer } from './tokenizer.ts';

/** The rest of a longer text is not read. */
const MAX_TOKENS = 256;
const ERRORS_ONLY = 3;

interface Model {
  readonly guard: GuardCells;
  readonly tokenizer: Tokenizer;
  readonly session: InferenceSession;
}

/** A group under way: its texts as tokens, the shortest first. */
interface Work {
  readonly group: Group;
  readonly vectors: Float32Array;
  readonly left: { readonly index: number; readonly ids: readonly number[] }[];
}

async function load({ modelDir, guard }: WorkerData): Promise<Model> {
  const { network, tokenizer } = verifyModelFiles(modelDir ?? findModelDir());
  const session = await InferenceSession.create(network, {
    // Each thread has a text of its own; local.ts decides how many there are.
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    logSeverityLevel: ERRORS_ONLY,
  });
  return { guard, session, tokenizer: new Tokenizer(readFileSync(tokenizer, 'utf8')) };
}

/** One text alone: with int8 weights a vector depends on what shares its batch. */
async function embedOne({ guard, session }: Model, ids: readonly number[]): Promise<Float32Array> {
  const shape = [1, ids.length];
  const tensor = (values: BigInt64Array) => new Tensor('int64', values, shape);
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
  readonly #port: MessagePort;
  readonly #model: Model;
  readonly #queries: Work[] = [];
  readonly #background: Work[] = [];
  #busy = false;
  #stopping = false;

  constructor(port: MessagePort, model: Model) {
    this.#port = port;
    this.#model = model;
  }

  accept(request: Request): void {
    if (request === STOP) this.#stopping = true;
    else this.#add(request);
    void this.#run();
  }

  #add(group: Group): void {
    const left = group.texts
      .map((text, index) => ({ index, ids: this.#model.tokenizer.encode(text, MAX_TOKENS) }))
      // Texts of one length after the other use the same buffers again.
      .sort((one, other) => one.ids.length - other.ids.length);
    const work = { group, left, vectors: new Float32Array(left.length * LOCAL_DIMENSIONS) };
    (group.priority === 'query' ? this.#queries : this.#background).push(work);
  }

  async #run(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    for (let work = this.#next(); work; work = this.#next()) {
      const text = work.left.shift();
      try {
        if (text) work.vectors.set(await embedOne(this.#model, text.ids), text.index * LOCAL_DIMENSIONS);
        if (work.left.length === 0) this.#finish(work, { id: work.group.id, vectors: work.vectors }, [work.vectors.buffer as ArrayBuffer]);
      } catch (error) {
        this.#finish(work, { id: work.group.id, failure: error instanceof Error ? error.message : String(error) });
      }
    }
    this.#busy = false;
    if (!this.#stopping) return;
    await insideNative(this.#model.guard, () => this.#model.session.release());
    this.#port.close();
  }

  /** Looks for what has arrived meanwhile, so that a query waits for one text and not for two. */
  #next(): Work | undefined {
    for (let arrived = receiveMessageOnPort(this.#port); arrived; arrived = receiveMessageOnPort(this.#port)) {
      this.accept(arrived.message as Request);
    }
    return this.#stopping ? undefined : (this.#queries[0] ?? this.#background[0]);
  }

  #finish(work: Work, reply: GroupReply, transfer: ArrayBuffer[] = []): void {
    (work.group.priority === 'query' ? this.#queries : this.#background).shift();
    this.#port.postMessage(reply, transfer);
  }
}

if (parentPort) {
  const port = parentPort;
  const data = workerData as WorkerData;
  let opened: Opened = {};
  try {
    const queue = new GroupQueue(port, await load(data));
    port.on('message', (request: Request) => queue.accept(request));
  } catch (error) {
    opened = { failure: error instanceof Error ? error.message : String(error) };
  } finally {
    leaveNative(data.guard);
  }
  port.postMessage(opened);
}
