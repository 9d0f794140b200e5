/** The suite `fast-pass`: whether the codes of a large scope propose those that an exact comparison would find. */
import { LocalEmbedder } from '../packages/server/src/search/embedding/local.ts';
import { quantize } from '../packages/server/src/search/embedding/quantize.ts';
import { NEAREST_CANDIDATES } from '../packages/server/src/search/ranking/profiles.ts';
import { ScopeVectors } from '../packages/server/src/search/ranking/vectors/scope-vectors.ts';
import { readCases, textsOf } from './labelled.ts';
import { heading, row } from './table.ts';
import { randomFrom } from './texts.ts';

const COUNT = 100_000;
const BEST = 10;

/** Vectors of sentences that people write, and blends of two and more of them: as many as a large workspace has. */
export async function runFastPass(): Promise<void> {
  const cases = await readCases('development');
  const sentences = [...new Set(cases.flatMap(textsOf))];
  const embedder = new LocalEmbedder();
  const real = await embedder.embed(sentences);
  await embedder.close();
  const [questions, others] = [real.filter((_, index) => index % 3 === 0), real.filter((_, index) => index % 3 !== 0)];
  const random = randomFrom(1);
  const vectors = new ScopeVectors();
  for (let slot = 0; slot < COUNT; slot++) vectors.set(slot, quantize(blend(others, random)));
  const everyone = new Uint8Array(COUNT).fill(1);
  let found = 0;
  for (const question of questions) {
    const query = vectors.query(question);
    if (!query) throw new Error('The question has no vector');
    const exact = best(vectors.similarities(query, COUNT, undefined, new Map()));
    const proposed = new Set(vectors.codeDistances(query, COUNT).nearest(everyone, NEAREST_CANDIDATES));
    found += exact.filter((slot) => proposed.has(slot)).length;
  }
  heading(`search: the fast pass over ${COUNT.toLocaleString('en')} vectors`, ['', '']);
  row([`of the ${BEST} nearest, proposed (aim 0.99)`, (found / (BEST * questions.length)).toFixed(4)]);
  row(['questions', String(questions.length)]);
}

function blend(real: readonly Float32Array[], random: () => number): Float32Array {
  const pick = () => real[Math.floor(random() * real.length)] as Float32Array;
  const parts = [pick(), pick(), pick()];
  const weights = [1, random(), random() * 0.5];
  const vector = (parts[0] as Float32Array).map((_, at) =>
    parts.reduce((sum, part, index) => sum + (weights[index] as number) * (part[at] as number), (random() - 0.5) * 0.05),
  );
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

function best(similarities: ArrayLike<number>): number[] {
  return Array.from(similarities, (similarity, slot) => ({ similarity, slot }))
    .sort((a, b) => b.similarity - a.similarity)
    .slice(0, BEST)
    .map(({ slot }) => slot);
}
