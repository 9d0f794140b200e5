/** Whom and what the user named in the message before. */

import type { Finding } from '../corrections/corrections.ts';
import type { Turn } from '../extraction.ts';
import { isEnglish } from '../prose/language.ts';
import { proseOf } from '../prose/segments.ts';
import { sentencesOf } from '../sentences/tokens.ts';
import { type Mention, mentionsIn } from './mentions.ts';
import { type Named, NOTHING_NAMED, namedAfter, namedWhenAsked, resolvePronouns } from './pronouns.ts';

/** No more than this of the end of a turn is read. */
const LONGEST = 1500;

/** Nobody where the assistant named others since. */
export function namedBefore(before: readonly Turn[] | undefined): Named {
  const at = before?.findLastIndex(({ role }) => role === 'user') ?? -1;
  const turn = before?.[at];
  return before && turn ? namedWhenAsked(() => namedIn(turn, before.slice(at + 1))) : NOTHING_NAMED;
}

function namedIn(turn: Turn, since: readonly Turn[]): Named {
  let named = NOTHING_NAMED;
  for (const sentence of sentencesAtEnd(turn)) named = namedAfter(sentence, named, resolvePronouns(sentence, named).used);
  const own = named.mentions.map((mention): Mention => ({ ...mention, heardIn: [turn.id], from: 0, to: 0 }));
  const others = since
    .flatMap((answer) => sentencesAtEnd(answer).flatMap((sentence) => mentionsIn(sentence.slice(1))))
    .filter(({ name }) => name !== undefined && !own.some((mention) => mention.name === name));
  return { mentions: [...own, ...others], age: 0 };
}

function sentencesAtEnd({ content }: Turn) {
  const lines = proseOf(content.slice(-LONGEST));
  return lines.filter(isEnglish).flatMap((line) => sentencesOf(line));
}

/** The same, bound to the message in which someone was named whom it tells of. */
export function heardFor(finding: Finding, used: readonly Mention[]): Finding {
  const content = finding.content.toLowerCase();
  const heard = used.flatMap(({ heardIn, tokens }) =>
    heardIn !== undefined && content.includes(tokens.at(-1)?.lower ?? '') ? heardIn : [],
  );
  return heard.length === 0 ? finding : { ...finding, heardIn: [...new Set([...(finding.heardIn ?? []), ...heard])] };
}
