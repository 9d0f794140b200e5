/** What the user says of themselves, in English: prose without fiction, irony, other languages and the filling of speech. */

import type { Turn } from '../extraction.ts';
import { withoutExaggeration } from './exaggeration.ts';
import { isPlaying, withoutFiction } from './fiction.ts';
import { withoutFillers } from './fillers.ts';
import { englishOf } from './language.ts';
import { proseOf, signatureIn } from './segments.ts';
import type { Signature } from './signatures.ts';

/** `before` is what was said right before it. */
export function ownWordsOf(content: string, before: readonly Turn[] = []): string[] {
  if (before.length > 0 && isPlaying([...before.filter(({ role }) => role === 'user').map((turn) => turn.content), content])) return [];
  return withoutFiction(proseOf(content))
    .map((line) => englishOf(withoutExaggeration(withoutFillers(line))))
    .filter((line) => line !== '');
}

/** Who signed it, unless as someone whom they play. */
export function signedBy(content: string): Signature | undefined {
  const signature = signatureIn(content);
  if (!signature) return undefined;
  const prose = proseOf(content);
  return prose.length > 0 && withoutFiction(prose).length === 0 ? undefined : signature;
}
