/** What the user says of themselves, in English. */

import { englishOf } from './language.ts';
import { proseOf } from './segments.ts';

export function ownWordsOf(content: string): string[] {
  return proseOf(content)
    .map((line) => englishOf(line))
    .filter((line) => line !== '');
}
