/** What a session was about, made anew in the extractor's thread. */
import { mayAskToForget } from '@commonplace/english/forgetting/first-look';
import type { Queryable } from '../../db/database.ts';
import type { SessionPlace } from '../../sessions/store.ts';
import { spokenMessages } from '../store/messages.ts';
import type { ExtractorSelector } from './choose-extractor.ts';
import type { Consolidation } from './consolidation.ts';

/** The newest of what no longer holds; older ones are hardly in what is summed up. */
const MOST_ENDED = 500;
const SUMMARIZER = 'extractive-1';

export async function summarize(
  { db, choice }: { readonly db: Queryable; readonly choice: ExtractorSelector },
  place: SessionPlace,
  consolidation: Consolidation,
): Promise<void> {
  const messages = await spokenMessages(db, place);
  const last = messages.at(-1);
  if (!last) return;
  const ended = consolidation
    .ended()
    .toSorted((a, b) => (a.id < b.id ? 1 : -1))
    .slice(0, MOST_ENDED)
    .map(({ content, messageIds, supersededAt }) => ({ content, messageIds, endedAt: supersededAt ?? '' }));
  const isOutdated = ended.length > 0 || messages.some(({ role, content }) => role === 'user' && mayAskToForget(content));
  consolidation.summarize(await choice.summarize(messages, ended), last.createdAt, SUMMARIZER, { isOutdated });
}
