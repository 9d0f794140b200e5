/**
 * What the hosts on Node have in common: they read work from standard input, do it with a library, and answer on descriptor 3. A line of
 * JSON is one piece of work. The host ends when its input does, so that none outlives the benchmark.
 * Plain JavaScript, and nothing of the project: a library may be built for another Node than the one that comes along.
 */
import { readFileSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

/** `modules`: the folder with the library; `texts`: a file; `folder`: for data; `embeddingsUrl`. */
export const settings = JSON.parse(process.argv[2]);
export const load = createRequire(`${settings.modules}/package.json`);

const { texts, questions } = JSON.parse(readFileSync(settings.texts, 'utf8'));
let [textTurn, questionTurn] = [0, 0];
const nextText = () => texts[textTurn++ % texts.length];
const nextQuestion = () => questions[questionTurn++ % questions.length];

function answer(value) {
  let rest = Buffer.from(`${JSON.stringify(value)}\n`);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(3, rest));
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}

async function repeat(work, seconds, callers) {
  const latenciesMs = [];
  const startMs = performance.now();
  const endMs = startMs + seconds * 1000;
  const call = async (_, caller) => {
    for (let beforeMs = startMs; beforeMs < endMs; ) {
      await work(caller);
      const nowMs = performance.now();
      latenciesMs.push(nowMs - beforeMs);
      beforeMs = nowMs;
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  return { latenciesMs, seconds: (performance.now() - startMs) / 1000 };
}

/** A peer has fill(scope, texts), which gives ids, write(caller, text), batch(caller, texts), read(scope, id) and search(scope, question). */
export async function serve(peer) {
  const ids = new Map();
  const measure = ({ operation, scope, seconds, callers }) => {
    const known = ids.get(scope) ?? [];
    let turn = 0;
    const operations = {
      write: (caller) => peer.write(caller, nextText()),
      batch: (caller) => peer.batch(caller, Array.from({ length: 100 }, nextText)),
      read: () => peer.read(scope, known[turn++ % known.length]),
      search: () => peer.search(scope, nextQuestion()),
    };
    return repeat(operations[operation], seconds, callers);
  };
  answer({ ready: true });
  for await (const line of createInterface({ input: process.stdin })) {
    const work = JSON.parse(line);
    try {
      if (work.do === 'fill') {
        ids.set(work.scope, [...(ids.get(work.scope) ?? []), ...(await peer.fill(work.scope, work.texts))]);
        answer({});
      } else answer(await measure(work));
    } catch (error) {
      answer({ error: String(error?.stack ?? error).slice(0, 2000) });
    }
  }
  process.exit();
}
