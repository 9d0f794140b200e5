/** `We fly to Rome on 4 March and come back on the 11th`: one journey, until the second day. */

import { isWord, type Token, token } from '../sentences/tokens.ts';

export const BACK = 'back';
const GOING = /^(?:come|fly|get|go|head|travel|drive|be|are|am|will|shall|we|i|then|return|returning|coming|flying|heading)$/;
const LEAVING = /^(?:fly|flying|leave|leaving|go|going|travel|travelling|traveling|drive|sail|arrive|depart|head|am|are)$/;
const LONGEST = 5;

/** The return is told with the journey, without a verb of its own: `and back on the 11th`. */
export function withReturn(sentence: readonly Token[]): readonly Token[] {
  let leaves = false;
  for (const [i, { lower }] of sentence.entries()) {
    leaves ||= LEAVING.test(lower);
    if (!leaves || (lower !== 'and' && lower !== ',')) continue;
    let end = i + 1;
    let returns = false;
    for (; end <= i + LONGEST; end++) {
      const word = sentence[end]?.lower ?? '';
      const back = word === BACK || word === 'home' || word.startsWith('return');
      if (!back && !GOING.test(word)) break;
      returns ||= back;
    }
    if (!returns || sentence[end]?.lower !== 'on' || !isWord(sentence[end + 1])) continue;
    return [...sentence.slice(0, i), token('and', 'CCONJ'), token(BACK, 'ADV'), ...sentence.slice(end)];
  }
  return sentence;
}
