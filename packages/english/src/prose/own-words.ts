/** What the user says of themselves, in English. */

import { withoutExaggeration } from './exaggeration.ts';
import { withoutFillers } from './fillers.ts';
import { englishOf } from './language.ts';
import { proseOf } from './segments.ts';

export function ownWordsOf(content: string): string[] {
  return proseOf(content)
    .map((line) => englishOf(withoutExaggeration(withoutFillers(line))))
    .filter((line) => line !== '');
}
