/** Which of many known memories a request shows. */
import type { KnownMemory } from '../extractor.ts';
import type { ShownMessage } from './batches.ts';

/** Enough to tell `allergic` and `allergies` from others. */
const LETTERS_COMPARED = 5;

/** The newest, and of the others those that speak of the same as the messages: up to half. In the order in which they are known. */
export function selectKnown(known: readonly KnownMemory[], messages: readonly ShownMessage[], most: number): KnownMemory[] {
  if (known.length <= most) return [...known];
  const said = wordsOf(messages.map(({ content, before }) => `${before?.content ?? ''} ${content}`).join(' '));
  const shared = known.map(({ content, slot }) => [...wordsOf(`${slot ?? ''} ${content}`)].filter((word) => said.has(word)));
  const counts = Map.groupBy(shared.flat(), (word) => word);
  // What few memories say tells more.
  const scores = shared.map((words) => words.reduce((sum, word) => sum + 1 / (counts.get(word)?.length ?? 1), 0));
  const places = known.map((_, place) => place);
  const scoreOf = (place: number) => scores[place] as number;
  const near = places.filter((place) => scoreOf(place) > 0).sort((left, right) => scoreOf(right) - scoreOf(left));
  const chosen = new Set(near.slice(0, Math.floor(most / 2)));
  for (const place of places) if (chosen.size < most) chosen.add(place);
  return known.filter((_, place) => chosen.has(place));
}

function wordsOf(text: string): Set<string> {
  return new Set((text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []).map((word) => word.slice(0, LETTERS_COMPARED)));
}
