/** The vectors in the answer of an embeddings endpoint: lists of numbers, or their bytes in base64. Pure, so that a thread can read large ones. */
import { endianness } from 'node:os';
import { normalize } from './embedder.ts';

/** One vector after the other, in the order of the texts, each of length 1. */
export interface AnsweredVectors {
  readonly vectors: Float32Array;
  readonly dimensions: number;
}

/** Without a word of the answer. `broken` and `unusual` may be better the next time. */
export interface AnswerProblem {
  readonly problem: 'broken' | 'unusual' | 'unusable';
  readonly message: string;
}

interface AnsweredItem {
  readonly index?: unknown;
  readonly embedding?: unknown;
}

const FLOAT_BYTES = 4;
const isBigEndian = endianness() === 'BE';

export function readAnswer(body: Uint8Array, count: number): AnsweredVectors | AnswerProblem {
  const answer = parse(body);
  if (answer === undefined) return { problem: 'broken', message: 'broken JSON' };
  const data = (answer as { data?: unknown } | null)?.data;
  if (!Array.isArray(data)) return unusable('without a list called "data"');
  if (data.length !== count) return unusable(`${data.length} vectors for ${count} texts`);
  const items = data as (AnsweredItem | null)[];
  const dimensions = dimensionsOf(items[0]?.embedding);
  if (dimensions === undefined) return notNumbers;
  const vectors = new Float32Array(count * dimensions);
  const isPlaced = new Uint8Array(count);
  for (const [position, item] of items.entries()) {
    const index = item?.index ?? position;
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= count || isPlaced[index])
      return unusable('vectors whose indexes do not match the texts');
    isPlaced[index] = 1;
    const found = dimensionsOf(item?.embedding);
    if (found !== undefined && found !== dimensions) return unusable(`${found} dimensions where it had answered ${dimensions}`);
    const vector = vectors.subarray(index * dimensions, (index + 1) * dimensions);
    if (!readInto(vector, item?.embedding)) return notNumbers;
    if (!normalize(vector)) return { problem: 'unusual', message: 'a vector without a direction' };
  }
  return { vectors, dimensions };
}

function unusable(message: string): AnswerProblem {
  return { problem: 'unusable', message };
}

const notNumbers = unusable('a vector that is not a list of numbers');

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'));
  } catch {
    return undefined;
  }
}

function dimensionsOf(embedding: unknown): number | undefined {
  const length =
    typeof embedding === 'string' ? Buffer.byteLength(embedding, 'base64') / FLOAT_BYTES : Array.isArray(embedding) ? embedding.length : 0;
  return Number.isInteger(length) && length > 0 ? length : undefined;
}

function readInto(vector: Float32Array, embedding: unknown): boolean {
  if (typeof embedding === 'string') {
    const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
    if (bytes.write(embedding, 'base64') !== bytes.length) return false;
    if (isBigEndian) bytes.swap32();
    return true;
  }
  if (!Array.isArray(embedding)) return false;
  for (let at = 0; at < vector.length; at++) {
    const value: unknown = embedding[at];
    if (typeof value !== 'number') return false;
    vector[at] = value;
  }
  return true;
}
