/** Large results become answers one at a time: each is decoded in a turn of the event loop of its own. */
import { areLarge } from '../lanes/large-rows.ts';
import { largeWork } from '../lanes/loop-turns.ts';

/** No promise for what is small. `rows` are as the database gave them: lists of values, or objects. */
export function takeTurnIfLarge(rows: readonly object[]): Promise<void> | undefined {
  return areLarge(rows) ? largeWork.take() : undefined;
}
