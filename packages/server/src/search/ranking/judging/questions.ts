/** What a question asks for beside its words. */

import { type AskedDates, readDates } from './dates.ts';

export interface Question {
  readonly asksTime: boolean;
  readonly asksNumber: boolean;
  /** Of what the one who asks said, or of what the other side answered. */
  readonly asksOfUser: boolean;
  readonly asksOfAssistant: boolean;
  readonly dates: AskedDates | undefined;
}

const UNITS = 'days?|weeks?|months?|years?|hours?|minutes?';
const TIME = new RegExp(
  `\\b(?:(?:what|which) (?:date|day|year|month|time|week|season)|how (?:long|old|often|soon|recently)|what age|how many (?:${UNITS}))\\b`,
  'i',
);
/** "When did …", and "when" in what asks nothing else: in "What did she say when he left?" it asks for no time. */
const WHEN_ASKED = /\bwhen(?:['’]s| (?:did|do|does|is|are|am|was|were|will|would|can|could|should|shall|has|have|had|exactly))\b/i;
const WHEN = /\bwhen\b/i;
const ASKS_OTHERWISE = /\b(?:what|who|whom|whose|where|which|how|why)\b/i;
const NUMBER =
  /\b(?:how (?:many|much|often|far|tall|big|large|old|long)|(?:what|which) (?:number|price|percent|percentage|score|size|amount|cost|version))\b/i;
const OF_USER = /\b(?:I|my|me|mine|myself)\b/i;
const OF_ASSISTANT =
  /\b(?:did|have|had|were|was) you\b|\byou (?:said|told|recommended|suggested|gave|mentioned|proposed|wrote|advised|explained)\b|\byour (?:advice|suggestion|recommendation|answer)/i;

/** What is beyond is a pasted page, and no question. */
export const LONGEST_QUESTION = 1_000;

export function readQuestion(whole: string, askedAt: number | undefined): Question {
  const text = whole.slice(0, LONGEST_QUESTION);
  const asksOfAssistant = OF_ASSISTANT.test(text);
  return {
    asksTime: TIME.test(text) || WHEN_ASKED.test(text) || (WHEN.test(text) && !ASKS_OTHERWISE.test(text)),
    asksNumber: NUMBER.test(text),
    asksOfUser: !asksOfAssistant && OF_USER.test(text),
    asksOfAssistant,
    dates: readDates(text, askedAt),
  };
}
