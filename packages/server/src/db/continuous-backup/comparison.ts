/** What a target holds must be what this data folder has sent there: either may have been put back to an earlier state. */
import type { Chain } from './chain.ts';
import { listSegments } from './inventory.ts';
import { segmentFile } from './names.ts';
import { spooledSegments } from './spool.ts';
import type { Target } from './target.ts';

/** Why the chain can't be gone on with; undefined where it can. `snapshotAfter` is of the last snapshot of the chain. */
export async function findDifference(
  target: Target,
  { generation, segment }: Chain,
  spoolFolder: string,
  snapshotAfter: number,
): Promise<string | undefined> {
  const waiting = spooledSegments(spoolFolder).filter((spooled) => spooled.generation === generation);
  const waitingFiles = new Set(waiting.map(segmentFile));
  const sent = (waiting[0]?.segment ?? segment + 1) - 1;
  let isSentFound = false;
  let isStrange = false;
  let mostKnown = sent;
  for await (const found of listSegments(target, generation, sent)) {
    if (found.segment === sent) isSentFound = true;
    // Sent before the process was killed, and not yet taken from the spool.
    else if (waitingFiles.has(segmentFile(found))) mostKnown = found.segment;
    else isStrange = true;
  }
  if (sent > snapshotAfter && !isSentFound) return 'the target lacks segments that were sent';
  if (isStrange || snapshotAfter > mostKnown) return 'the target has segments that this data folder does not know';
  return undefined;
}
