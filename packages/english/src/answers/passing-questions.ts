/** Questions of the task at hand or of the moment: what is answered to them is not worth keeping. */

import type { Token } from '../sentences/tokens.ts';
import { MOMENTARY } from '../words/adjectives.ts';
import { PASSING_SUBJECTS, PASSING_THINGS } from '../words/nouns.ts';
import { wordSet } from '../words/sets.ts';
import { PASSING } from '../words/verbs.ts';

/** Ask for a decision, a favour or an opinion. */
const ASKING_FOR = wordSet('shall should would could may might will must want wanna need ready okay ok right really why whose');
/** Point at the conversation or at its moment. */
const AT_HAND =
  wordSet(`i me us we this that these those today tonight here anything something everything else instead example help mean ready sure okay ok yet next first above below
  wrong happened happening feeling mood trouble stuck done finished looking thinking trying asking after wondering curious interested able willing happy exactly specifically particular particularly
  one ones both either them mind`);
const TASK_WORDS =
  wordSet(`tone format length topic title audience occasion recipient theme wording reason matter weather mood dish recipe meal word words deadline subject option options choice figures preference
  message approach rush concern worry secret point issue problem news story step part price goal aim plan`);
/** In spite of what else these are, one asks for them to know the user. */
const TELLING_VERBS = wordSet('read watch listen keep owe become come do be drive fly practise follow');
const TELLING_NOUNS = wordSet(
  'plan goal version class computer browser internet favourite favorite table favourites app favorites spreadsheet',
);

export function isPassing(tokens: readonly Token[]): boolean {
  if (ASKING_FOR.has(tokens[0]?.lower ?? '')) return true;
  const yours = tokens.some(({ lower }) => lower === 'your');
  return tokens.some(({ lower, tag }, i) => {
    if (AT_HAND.has(lower)) return true;
    if (tag !== 'NOUN' || TELLING_NOUNS.has(lower)) return false;
    const next = tokens[i + 1];
    const head = next?.tag !== 'NOUN';
    return head && (PASSING_THINGS.has(lower) || (TASK_WORDS.has(lower) && !yours) || (PASSING_SUBJECTS.has(lower) && yours));
  });
}

/** What one thinks or does about the conversation: `do you know …?`, `what do you need?`. */
export function isPassingVerb({ lower, lemma }: Token): boolean {
  return (PASSING.has(lower) || PASSING.has(lemma)) && !TELLING_VERBS.has(lower) && !TELLING_VERBS.has(lemma);
}

/** Of what is going on, what goes on for long. */
const LASTING_WORK = wordSet(
  `studying working living learning training taking writing building expecting renting breastfeeding teaching using driving playing reading growing renovating based majoring staying developing making-a
  restoring saving running`,
);

/** What a question says that one is: nothing of the moment, `tired`, `cooking`. */
export function isLastingState([first]: readonly Token[]): boolean {
  if (!first || MOMENTARY.has(first.lower) || first.lower === 'both' || first.lower === 'all') return false;
  if (first.tag === 'VERB' && first.lower.endsWith('ing')) return LASTING_WORK.has(first.lower);
  return true;
}
