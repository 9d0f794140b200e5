/** The built-in extractor: one message into memories, by grammar and word lists, without a language model. */

import { answersIn, keptAnswer } from './answers/answers.ts';
import { correctionOf, type Finding, takesPlaceOf, withoutDenied } from './corrections/corrections.ts';
import { endingOf } from './dates/ends.ts';
import { type ExtractedMemory, type Extraction, joinExtractions, type KnownMemory, knownAfter, type SourceMessage } from './extraction.ts';
import { candidatesIn } from './findings.ts';
import { Forgetting, partsIn } from './forgetting/forgetting.ts';
import type { Candidate, Gate, Place } from './gate/candidate.ts';
import { learntGate } from './gate/model.ts';
import { ownWordsOf, signedBy } from './prose/own-words.ts';
import { findingsOf } from './prose/signatures.ts';
import { heardFor, namedBefore } from './references/earlier-messages.ts';
import { namedAfter, namedWhenAsked, resolvePronouns } from './references/pronouns.ts';
import { countSecrets, looksSecret } from './secrets.ts';
import { labelledValue } from './sentences/labels.ts';
import { startsWith, withoutOpeners } from './sentences/phrases.ts';
import { sentencesOf, type Token, textOf } from './sentences/tokens.ts';
import { matterOf, matterOfKnown } from './values/matters.ts';
import { HYPOTHETICAL } from './words/phrases.ts';
import { wordSet } from './words/sets.ts';

/** At the beginning, and at the end of what has more. */
const MOST_SENTENCES_FIRST = 225;
const MOST_SENTENCES_LAST = 75;
const MOST_MEMORIES = 100;

/** `known` newest first. */
export function extractFromMessage(message: SourceMessage, known: readonly KnownMemory[], gate: Gate = learntGate): Extraction {
  const today = dayOf(message.createdAt);
  const findings: Finding[] = [];
  const withdrawn = new Set<string>();
  const forgetting = new Forgetting(message, (turn) => contentsOf({ ...turn, createdAt: message.createdAt }));
  const saidSoFar = () => findings.map((finding, i) => ({ id: refOf(message, i), ...finding, slot: finding.slot ?? null })).reverse();
  let named = namedBefore(message.before);
  const { answers, sentences: left } = answersIn(message, [...sentencesIn(message)], named);
  const sentences = [...answers.map(({ tokens }) => tokens), ...left];
  const places = placesOf(sentences);
  for (const { says: sentence, forgets, index } of partsIn(sentences)) {
    const said = saidSoFar();
    if (forgets) {
      forgetting.ask(forgets, said, known);
      continue;
    }
    if (startsWith(withoutOpeners(sentence).tokens, 0, HYPOTHETICAL) > 0) break;
    const held = [...forgetting.left(said), ...forgetting.leftOf(known)];
    // After an answer, `it is …` goes on with what was asked.
    const correction = correctionOf(sentence, answers.length > 0 && sentence[0]?.lower === 'it' ? forgetting.leftOf(known) : held, today);
    if (correction) {
      for (const id of correction.withdrawn) withdrawn.add(id);
      if (correction.finding) findings.push(correction.finding);
      if (correction.whole) continue;
    }
    const before = findings.length;
    const { tokens, used } = resolvePronouns(withoutDenied(sentence), named);
    const answer = answers[index];
    const earlier = named;
    named = namedWhenAsked(() => namedAfter(sentence, earlier, used, answer?.heardIn));
    for (const candidate of candidatesIn(tokens, today)) {
      const told = gate(candidate, { ...places, index });
      const passed = (answer ? keptAnswer(candidate, told, answer) : told) ?? renewal(candidate, held);
      if (!passed) continue;
      const finding = withSlot(heardFor(passed, used), today);
      if (findings.length === MOST_MEMORIES) break;
      // What is known already is told all the same: whoever keeps the memories notes that it was said again.
      if (findings.some(({ content }, i) => sameText(content, finding.content) && !forgetting.has(refOf(message, i)))) continue;
      const replaces = takesPlaceOf(
        finding,
        held,
        correction !== undefined,
        sentence.some(({ lower }) => lower === 'now'),
      );
      if (
        replaces.length > 0 &&
        isFarewell(
          finding,
          held.filter(({ id }) => replaces.includes(id)),
        )
      )
        for (const id of replaces) withdrawn.add(id);
      else findings.push(replaces.length > 0 ? { ...finding, replaces } : finding);
    }
    for (let i = before; i < findings.length; i++) forgetting.note(refOf(message, i), index);
  }
  const signature = signedBy(message.content);
  if (signature) findings.push(...findingsOf(signature, message.content, [...forgetting.left(saidSoFar()), ...forgetting.leftOf(known)]));
  const memories = findings.map(
    (finding, i): ExtractedMemory => ({
      ref: refOf(message, i),
      messageId: message.id,
      ...endingOf(finding, today),
      content: finding.content,
      replaces: finding.replaces,
      restsOn: finding.restsOn,
      heardIn: finding.heardIn,
    }),
  );
  return {
    memories,
    ...forgetting.result(withdrawn),
    secrets: countSecrets(message.content),
  };
}

/** Each is read with what those before it said. */
export function extractFromMessages(messages: readonly SourceMessage[], before: readonly KnownMemory[]): Extraction {
  const found: Extraction[] = [];
  let known = before;
  for (const message of messages) {
    const extraction = extractFromMessage(message, known);
    found.push(extraction);
    known = knownAfter(known, extraction);
  }
  return joinExtractions(found);
}

function contentsOf(message: SourceMessage): string[] {
  return extractFromMessage(message, []).memories.map(({ content }) => content);
}

/** `I sold the Golf`: of what was known, nothing is left to know. */
function isFarewell({ content, instead }: Finding, replaced: readonly KnownMemory[]): boolean {
  return (
    instead !== undefined &&
    !replaced.some((memory) => memory.content.includes(',')) &&
    /^User (?:has )?(?:sold|returned|gotten rid of|got rid of) /.test(content)
  );
}

function withSlot(finding: Finding, today: Date): Finding {
  return { ...finding, slot: endingOf({ ...finding, slot: matterOf(finding.content) ?? finding.slot }, today).slot };
}

const CHANGES = wordSet('now switched moved upgraded changed new actually instead anymore again');

/** A new value of what is known is kept, however it is said. */
function renewal({ finding, form, tokens }: Candidate, held: readonly KnownMemory[]): Finding | undefined {
  if (form !== 'label' && form !== 'wish' && !tokens.some(({ lower }) => CHANGES.has(lower))) return undefined;
  const slot = matterOf(finding.content) ?? finding.slot;
  const known = slot !== undefined && held.some((memory) => matterOfKnown(memory) === slot);
  return known ? finding : undefined;
}

/** What all sentences of a message have in common. */
function placesOf(sentences: readonly (readonly Token[])[]): Omit<Place, 'index'> {
  const isAsked = (sentence: readonly Token[]) => sentence.slice(-4).some(({ text }) => text.startsWith('?'));
  return {
    count: sentences.length,
    asks: sentences.some(isAsked),
    orders: sentences.some(([first]) => first?.tag === 'VERB' && first.lower === first.lemma),
    labels: sentences.filter((sentence) => labelledValue(sentence) !== undefined).length,
    fragments: sentences.filter((sentence) => !sentence.some(({ tag }) => tag === 'VERB' || tag === 'AUX')).length,
    words: topicWords(sentences),
  };
}

const MOST_TOPIC_WORDS = 40;

function topicWords(sentences: readonly (readonly Token[])[]): string[] {
  const words = new Set<string>();
  for (const { lower, tag } of sentences.flat()) {
    if (words.size === MOST_TOPIC_WORDS) break;
    if ((tag === 'NOUN' || tag === 'VERB' || tag === 'ADJ') && lower.length > 2) words.add(lower);
  }
  return [...words];
}

function refOf(message: SourceMessage, index: number): string {
  return `${message.id}:${index}`;
}

/** Midnight of the day; a time that cannot be read is taken for the beginning of all. */
function dayOf(createdAt: string): Date {
  const time = Date.parse(createdAt);
  return new Date(Number.isNaN(time) ? 0 : Math.floor(time / 86_400_000) * 86_400_000);
}

function sameText(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function* sentencesIn({ content, before }: SourceMessage): Generator<readonly Token[]> {
  const lines = ownWordsOf(content, before);
  let next = 0;
  for (let count = 0; next < lines.length && count < MOST_SENTENCES_FIRST; next++) {
    const sentences = withoutSecrets(lines[next] as string, MOST_SENTENCES_FIRST - count);
    count += sentences.length;
    yield* sentences;
  }
  const last: (readonly Token[])[][] = [];
  for (let count = 0, at = lines.length - 1; at >= next && count < MOST_SENTENCES_LAST; at--) {
    const sentences = withoutSecrets(lines[at] as string, MOST_SENTENCES_LAST - count);
    count += sentences.length;
    last.push(sentences);
  }
  yield* last.reverse().flat();
}

function withoutSecrets(line: string, most: number): (readonly Token[])[] {
  const sentences = sentencesOf(line).slice(0, most);
  // Of a line without any there is nothing to look for in its sentences.
  return looksSecret(line) ? sentences.filter((sentence) => !looksSecret(textOf(sentence))) : sentences;
}
