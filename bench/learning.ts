/** The suite `learning`: learns what counts of an item that may be an answer, shows how well that does on what was not learnt from, and writes it down. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createEmbedder } from '../packages/server/src/search/embedding/create.ts';
import type { Embedder } from '../packages/server/src/search/embedding/embedder.ts';
import {
  type Calibration,
  featuresOf,
  type Judgement,
  type Level,
  type Weights,
} from '../packages/server/src/search/ranking/judging/features.ts';
import { judgements } from '../packages/server/src/search/ranking/judging/learnt-weights.ts';
import type { ProfileName } from '../packages/server/src/search/ranking/profiles.ts';
import { calibrate, reliability } from './learning/calibrating.ts';
import { type Case, casesOf, recallOf } from './learning/cases.ts';
import {
  type Collection,
  givenConversations,
  givenDocuments,
  isHeldOut,
  molweni,
  ownConversations,
  ownMemories,
  type Question,
} from './learning/collections.ts';
import { learnWeights } from './learning/learner.ts';
import { sumOf } from './learning/sums.ts';
import { heading, row } from './table.ts';

const WRITTEN = fileURLToPath(new URL('../packages/server/src/search/ranking/judging/learnt-weights.ts', import.meta.url));
/** Molweni's questions nearly all name who speaks: it counts less than what was written for this. */
const SHARES = { own: 1, molweni: 0.5 };
/** In a group people speak of each other: more than this loses on scenes of many, as far as we know. */
const MOST: Weights = { speakerInGroup: 0.6 };

/** What no question that is learnt from asks for. From 0.3 to 1.4 nothing changes but for questions with a date. */
const BY_HAND: Weights = { date: 0.6 };

export interface LearningOptions {
  /** A folder with collections to measure on, which nothing is learnt from. */
  readonly data: string | undefined;
  /** Molweni's file of questions (Apache-2.0), if it is there. */
  readonly molweni: string | undefined;
  readonly isWritten: boolean;
}

export async function runLearning({ data, molweni: file, isWritten }: LearningOptions): Promise<void> {
  const embedder = createEmbedder({});
  await embedder.ready();
  const many = file !== undefined && existsSync(file) ? molweni(file) : [];
  const given = data === undefined ? [] : givenConversations(data);
  const levels: Level[] = ['words', 'vectors', 'tokens'];
  const learnt: Record<string, Record<string, Judgement>> = { messages: {}, memories: {}, chunks: {} };
  for (const level of levels) {
    learnt.messages = { ...learnt.messages, [level]: await learn('messages', level, embedder, { own: ownConversations(), many, given }) };
    learnt.memories = {
      ...learnt.memories,
      [level]: await learn('memories', level, embedder, { own: ownMemories(), many: [], given: [] }),
    };
  }
  const documents = data === undefined ? undefined : givenDocuments(data);
  if (documents)
    for (const level of levels) learnt.chunks = { ...learnt.chunks, [level]: await calibrateChunks(level, embedder, documents) };
  await embedder.close();
  if (isWritten) await write(learnt);
}

interface Sources {
  readonly own: readonly Collection[];
  readonly many: readonly Collection[];
  readonly given: readonly Collection[];
}

async function learn(profile: ProfileName, level: Level, embedder: Embedder, { own, many, given }: Sources): Promise<Judgement> {
  const cases = async (some: readonly Collection[]) => {
    const all: Case[] = [];
    for (const one of some) all.push(...(await casesOf(one, profile, level, embedder)));
    return all;
  };
  const learnt = own.filter((one) => !isHeldOut(one));
  const [from, fromMany] = [await cases(learnt), await cases(many)];
  const shares = [
    { cases: from, share: SHARES.own },
    { cases: fromMany, share: SHARES.molweni },
  ].filter((share) => share.cases.length > 0);
  const weights = { ...learnWeights(shares, featuresOf(level), MOST), ...(profile === 'messages' && BY_HAND) };
  const hopeless: Case[] = [];
  // What is asked of one has no answer in the next.
  for (const [i, one] of learnt.entries())
    hopeless.push(...(await casesOf(one, profile, level, embedder, [...(learnt[(i + 1) % learnt.length] as Collection).questions])));
  const lookUps: Case[] = [];
  for (const one of learnt) lookUps.push(...(await casesOf({ ...one, questions: lookUpsOf(one) }, profile, level, embedder)));
  const calibration = calibrate({ questions: from, hopeless, lookUps }, weights);
  const heldOut = await cases(own.filter(isHeldOut));
  const measured = await cases(given);
  heading(`learning: ${profile}, ${level}`, ['', 'questions', 'recall@10 so far', 'recall@10 learnt', 'recall in the shortlist']);
  const before = judgements[profile][level].weights;
  for (const [name, some] of [
    ['learnt from', from],
    ['learnt from: Molweni', fromMany],
    ['held out', heldOut],
    ['given, not learnt from', measured],
  ] as const) {
    if (some.length === 0) continue;
    const recall = (by: Weights) => recallOf(some, ({ features }) => sumOf(features, by)).toFixed(3);
    row([name, String(some.length), recall(before), recall(weights), recallOf(some, () => 0, 1_000).toFixed(3)]);
  }
  console.log(`\nweights ${JSON.stringify(weights)}\ncalibration ${JSON.stringify(calibration)}`);
  showReliability('held out', heldOut, weights, calibration);
  return { weights, calibration };
}

/** Their weights are set by hand; what a score means is measured on one half of the questions, and shown on the other. */
async function calibrateChunks(level: Level, embedder: Embedder, documents: Collection): Promise<Judgement> {
  const { weights } = judgements.chunks[level];
  const half = (rest: number) => documents.questions.filter((_, i) => i % 2 === rest);
  const cases = (questions: readonly Question[]) => casesOf({ ...documents, questions }, 'chunks', level, embedder);
  const lookUps = await cases(lookUpsOf(documents));
  const talk = ownConversations().flatMap(({ questions }) => questions);
  const hopeless = await casesOf(documents, 'chunks', level, embedder, talk);
  const calibration = calibrate({ questions: await cases(half(0)), hopeless, lookUps }, weights);
  console.log(`\nchunks, ${level}: calibration ${JSON.stringify(calibration)}`);
  showReliability('the other half', await cases(half(1)), weights, calibration);
  return { weights, calibration };
}

function showReliability(name: string, cases: readonly Case[], weights: Weights, calibration: Calibration): void {
  for (const { from, count, right } of reliability(cases, weights, calibration))
    console.log(`${name}: score from ${from.toFixed(1)}: ${count} hits, ${count ? (right / count).toFixed(2) : '–'} right`);
}

const LOOK_UP_EVERY = 10;
const LOOK_UP_WORDS = 5;

/** Some items by their own text, and by a few of their words. */
function lookUpsOf({ items }: Collection): Question[] {
  const some = items.filter(({ text }, i) => i % LOOK_UP_EVERY === 0 && text.split(' ').length > LOOK_UP_WORDS);
  return some.flatMap(({ id, text }) => {
    const longest = text.split(/[^\p{L}\p{N}]+/u).toSorted((a, b) => b.length - a.length);
    const asked = [text, longest.slice(0, LOOK_UP_WORDS).join(' ')];
    return asked.map((one) => ({ text: one, kind: 'look-up', relevant: new Set([id]) }));
  });
}

async function write(learnt: Record<string, Record<string, Judgement>>): Promise<void> {
  const all = Object.fromEntries(
    Object.entries(judgements).map(([profile, before]) => [profile, { ...before, ...(learnt[profile] ?? {}) }]),
  );
  const text = `/** What counts of an item that may be an answer. Written by \`npm run bench -- learning --write\`; docs/search.md says what it is learnt from. */

import type { Judgements } from './features.ts';

export const judgements: Readonly<Record<'messages' | 'memories' | 'chunks', Judgements>> = ${JSON.stringify(all, null, 2)};
`;
  await writeFile(WRITTEN, text);
}
