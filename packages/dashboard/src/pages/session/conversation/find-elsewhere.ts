import { type Memory, NotFoundError, type Session } from '@commonplace/client';
import { client } from '../../../api/client.ts';
import { agentQuery } from '../../../api/queries.ts';
import { queryClient } from '../../../api/query-client.ts';
import { type SessionPlace, sessionKey, sourcesOf } from '../session-view.ts';
import { timeOfId } from './message-ids.ts';

/** More sessions of a person are not asked for one message. */
const MOST_SESSIONS = 100;
const ASKED_AT_ONCE = 5;

export interface Elsewhere {
  /** The session of the same person that has the message. */
  readonly sessionId: string | undefined;
  /** Why it was not found, for a person to read. */
  readonly reason: string;
}

/** Looks for a message in the other sessions of the person whom a label of this one names: they share what is remembered. */
export function findElsewhere(place: SessionPlace, labels: Session['labels'], messageId: string): Promise<Elsewhere> {
  return queryClient.fetchQuery({
    queryKey: [...sessionKey(place), 'elsewhere', messageId],
    queryFn: ({ signal }) => lookThrough(place, labels, messageId, signal),
    gcTime: 0,
    staleTime: 0,
  });
}

async function lookThrough(place: SessionPlace, labels: Session['labels'], messageId: string, signal: AbortSignal): Promise<Elsewhere> {
  const { workspaceId, agentId } = place;
  const { configs } = await queryClient.fetchQuery(agentQuery(workspaceId, agentId));
  const key = configs.memorySubject;
  const value = key && Object.hasOwn(labels, key) ? labels[key] : undefined;
  if (!key || !value) return { sessionId: undefined, reason: 'It was deleted.' };
  const { memories, messages, sessions } = client.workspace(workspaceId);
  const person = { labels: { [key]: value }, limit: MOST_SESSIONS };
  const has = async (sessionId: string) => {
    try {
      await messages.get(agentId, sessionId, messageId, { signal });
      return sessionId;
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    }
  };
  // What was made of it names its session: mostly that is one question. A meta may be written by hand, so the session is asked.
  const asOf = new Date(timeOfId(messageId)).toISOString();
  const held = await memories.listAgent(agentId, { ...person, asOf }, { signal });
  const asked = new Set([place.sessionId]);
  for (const sessionId of sessionsSaying(held.data, messageId)) {
    if (asked.has(sessionId)) continue;
    asked.add(sessionId);
    if (await has(sessionId)) return { sessionId, reason: '' };
  }
  const listed = await sessions.list(agentId, person, { signal });
  const left = listed.data.map(({ id }) => id).filter((id) => !asked.has(id));
  for (let start = 0; start < left.length; start += ASKED_AT_ONCE) {
    const found = (await Promise.all(left.slice(start, start + ASKED_AT_ONCE).map(has))).find((id) => id !== undefined);
    if (found) return { sessionId: found, reason: '' };
  }
  const more = listed.meta.total > listed.data.length;
  return {
    sessionId: undefined,
    reason: more
      ? `None of the ${listed.data.length} newest sessions of the same person has it.`
      : 'It was deleted, or its session has another label now.',
  };
}

const sessionsSaying = (memories: readonly Memory[], messageId: string) =>
  memories.filter((memory) => sourcesOf(memory).includes(messageId)).map(({ sessionId }) => sessionId);
