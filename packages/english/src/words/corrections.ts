/** Set phrases that put right, take back or finish what was said. */

import { phraseList, wordSet } from './sets.ts';

export const MARKERS =
  phraseList(`argh | i beg your pardon | beg your pardon | pardon me | scrap that | change of plan | change of plans | ugh | misread it | misread that | i misread it | i misread that | got that wrong | i got that wrong | hang on | oh hang on | hold on | tell a lie | wait no | actually no | whoops | apologies | i stand corrected | i lied | ah | oh | ah sorry | oh sorry | to correct myself | change that to | should be | it should be | that should be | should have said | i should have said | no sorry | my apologies | it was actually | no actually | nope | no i meant | no i mean | i meant | i mean | actually it is | actually that is | it is actually | sorry i meant | oops i meant | wait i meant | scratch that | correction | typo | sorry | oops | wait | actually
  no it is | no wait | i misspoke | my mistake | my bad | changed my mind | i changed my mind | i have changed my mind | on second thought | autocorrect | no | sorry autocorrect | not | it is | make that | rather | well actually | strike that | edit | let me correct that | i was wrong | i said it wrong`);
export const RETRACTIONS = phraseList(
  `that is no longer true | that is not true anymore | that is no longer the case | that is not the case anymore | that is no longer correct | no longer true | not true anymore | that has changed | that does not apply anymore | that no longer applies`,
);
export const FINISHED = phraseList(
  `done with | i am done with | i finished | finished | i have finished | i am finished with | finished with | completed | i completed | i have completed | i am through with | wrapped up | i wrapped up`,
);

export const ABANDONED = phraseList(
  `gave up on | i gave up on | i have given up on | we gave up on | i have dropped | we have dropped | i have ditched | ditched | i ditched | we ditched | we have ditched | i am done with | traded the | i traded the | he has given up | she has given up | they have given up | he is given up | she is given up | he gave up | she gave up | they gave up | he has stopped | she has stopped | he has quit | she has quit`,
);

export const ANNOUNCING = phraseList(
  'wrong info | change of plan | change of plans | scrap that | i beg your pardon | hang on | hold on | tell a lie | wait no | actually no | whoops | i stand corrected | i lied | my apologies | my bad | should have said | no actually | update | scratch that | correction | changed my mind | i changed my mind | i have changed my mind | on second thought | i meant | typo | autocorrect | strike that | my mistake | i misspoke | no wait | sorry | oops',
);

/** Said of what is no longer going on. */
export const OVER = wordSet('done finished over off cancelled canceled complete sorted settled');
