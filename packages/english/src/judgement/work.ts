/** `I work …`: where, as what and how. */

import type { Statement } from '../sentences/statements.ts';
import { hasContent, hasHabit, type Verdict, verdict } from './verdicts.ts';

export function judgeWork({ rest, negated }: Statement): Verdict | undefined {
  const at = rest.findIndex(({ lower }) => lower === 'at' || lower === 'for' || lower === 'with' || lower === 'in' || lower === 'as');
  const where = rest[at]?.lower;
  if (at === -1 && negated) return hasHabit(rest) ? verdict('fact') : undefined;
  if (at === -1)
    return rest.some(
      ({ tag, lower }) =>
        tag === 'NOUN' ||
        tag === 'PROPN' ||
        tag === 'NUM' ||
        lower === 'remotely' ||
        lower === 'online' ||
        lower === 'full-time' ||
        lower === 'part-time',
    ) && rest[0]?.lower !== 'on'
      ? verdict('long_lived')
      : undefined;
  if (!hasContent(rest.slice(at + 1)) || rest[0]?.lower === 'on') return undefined;
  if (where === 'as' && at === 0 && !rest.some(({ lower }) => lower === 'at' || lower === 'for')) return verdict('long_lived', 'job');
  const employer = rest[at + 1]?.tag === 'PROPN' || where === 'at' || where === 'for' || where === 'as';
  return verdict('long_lived', employer ? 'employer' : undefined);
}
