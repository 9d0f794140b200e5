/** Days that are so and so far away. */

import { numberOf } from '../words/times.ts';
import { distant, isoDay, unitOf } from './calendar.ts';
import type { Found, TimeContext } from './months.ts';

/** `in two weeks`, `three years ago`, `a week from now`. */
export function span(words: readonly string[], { today }: TimeContext): Found | undefined {
  const ahead = words[0] === 'in' || words[0] === 'within';
  let at = ahead ? 1 : 0;
  if (words[at] === 'about' || words[at] === 'around' || words[at] === 'over' || words[at] === 'exactly') at++;
  let count = numberOf(words[at] ?? '');
  if (count === 1 && words[at + 1] === 'couple') {
    count = 2;
    at += words[at + 2] === 'of' ? 2 : 1;
  } else if (count === 1 && words[at + 1] === 'few') {
    const unit = words[at + 2] ?? '';
    return words[at + 3] === 'ago' && unitOf(unit)
      ? { length: at + 4, text: `a few ${unit} before ${isoDay(today).slice(0, unit.startsWith('year') ? 4 : 10)}` }
      : undefined;
  }
  if (count === undefined) return undefined;
  // `three hours in a day`
  if (ahead && words[at] === 'a' && words[at + 1] === 'day') return undefined;
  if (words[at + 1] === 'fortnight') count *= 2;
  const unit = unitOf(words[at + 1] ?? '');
  if (unit === undefined) return undefined;
  if (ahead)
    return words[at + 2] === 'time'
      ? { length: at + 3, text: distant(today, count, unit, 'future') }
      : { length: at + 2, text: distant(today, count, unit, 'future') };
  if (words[at + 2] === 'ago') return { length: at + 3, text: distant(today, count, unit, 'past') };
  if (words[at + 2] === 'from' && (words[at + 3] === 'now' || words[at + 3] === 'today'))
    return { length: at + 4, text: distant(today, count, unit, 'future') };
  return undefined;
}
