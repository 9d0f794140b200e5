/** A session as what a job is done for. */
import type { Job } from '@commonplace/contract/jobs';
import { raw } from '../db/sql.ts';

export interface SessionSubject {
  readonly id: string;
  readonly agentId: string;
  readonly title: string;
}

/** What belongs to an agent that is gone is gone with it, though its rows may be there. */
export const presentSessions = raw('sessions s join agents a on a.workspace_id = s.workspace_id and a.id = s.agent_id');

export const subjectColumns = raw('s.id, s.agent_id as "agentId", s.title');

export function subjectOf({ id, agentId, title }: SessionSubject): Job['subject'] {
  return { type: 'session', id, agentId, sessionId: id, ...(title !== '' && { title }) };
}
