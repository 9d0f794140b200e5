/** The suite `gate`: learns what is worth keeping of what people say, shows how well that does on what was not learnt from, and writes it down. */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { extractFromMessage } from '@commonplace/english/extract';
import { type GateWeights, gateOf } from '@commonplace/english/gate/model';
import { type Example, examplesOf } from './gate/examples.ts';
import { learnAnswers } from './gate/learner.ts';
import { judgeWith, precisionOf, readCases, recallOf, silenceOf } from './labelled.ts';
import { heading, row } from './table.ts';

const WRITTEN = fileURLToPath(new URL('../packages/english/src/gate/weights.json', import.meta.url));
const PARTS = 4;
const PENALTY = { worth: 12, kinds: 12 };
/** Which kind it is matters less than whether it is kept: fewer features will do. */
const LEAST_WEIGHT_OF_KINDS = 0.12;
const KINDS = ['fact', 'long_lived', 'preference', 'short_lived'];
const THRESHOLDS = [
  { ruled: 0, open: 0 },
  { ruled: 0, open: 0.5 },
  { ruled: 0, open: 1 },
  { ruled: 0.5, open: 0.5 },
  { ruled: 0.5, open: 1 },
  { ruled: 1, open: 1 },
];
const CHOSEN = { ruled: 0.5, open: 0.75 };

export async function runGate({ isWritten }: { readonly isWritten: boolean }): Promise<void> {
  const cases = await readCases('development');
  const examples = cases.flatMap(examplesOf);
  heading(`gate: ${cases.length} cases with ${examples.length} candidates, each read with weights learnt from the other parts`, [
    '',
    'threshold',
    'precision',
    'recall',
    'silent',
  ]);
  const partOf = new Map(cases.map((one, index) => [one, index % PARTS]));
  const learnt = Array.from({ length: PARTS }, (_, part) => learnGate(examples.filter((example) => partOf.get(example.case) !== part)));
  for (const thresholds of THRESHOLDS) {
    const gates = learnt.map((weights) => gateOf({ ...weights, thresholds }));
    const judged = cases.map((one) =>
      judgeWith(one, (message, known) => extractFromMessage(message, known, gates[partOf.get(one) as number])),
    );
    for (const [name, some] of Map.groupBy(judged, ({ case: { register } }) => register ?? 'of before')) {
      row([name, textOf(thresholds), precisionOf(some).toFixed(3), recallOf(some).toFixed(3), silenceOf(some).toFixed(3)]);
    }
    row(['all', textOf(thresholds), precisionOf(judged).toFixed(3), recallOf(judged).toFixed(3), silenceOf(judged).toFixed(3)]);
  }
  if (isWritten) await writeFile(WRITTEN, `${JSON.stringify(learnGate(examples), null, 2)}\n`);
}

function textOf({ ruled, open }: GateWeights['thresholds']): string {
  return `${ruled} by a rule, ${open} else`;
}

function learnGate(examples: readonly Example[]): GateWeights {
  const worth = learnAnswers(
    examples.map(({ features, isWorth }) => ({ features, answer: isWorth })),
    PENALTY.worth,
  );
  const kept = examples.filter(({ isWorth }) => isWorth);
  const kinds = KINDS.map((kind): [string, GateWeights['worth']] => [
    kind,
    learnAnswers(
      kept.map(({ features, kinds: possible }) => ({ features, answer: possible.includes(kind) })),
      PENALTY.kinds,
      LEAST_WEIGHT_OF_KINDS,
    ),
  ]);
  return { thresholds: CHOSEN, worth, kinds: Object.fromEntries(kinds) };
}
