/** What happens to a session, as events say it. */
import type { Change } from '../../outbox/outbox.ts';
import type { SessionPlace } from '../store.ts';

export function sessionChange(type: 'session.created' | 'session.updated' | 'session.deleted', place: SessionPlace): Change {
  const { workspaceId, agentId, sessionId } = place;
  return { type, workspaceId, agentId, sessionId, subjectId: sessionId };
}
