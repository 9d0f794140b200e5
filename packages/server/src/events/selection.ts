/** Which events a caller may read, and which of those it asks for. */
import { type EventQuery, type EventSubject, type EventType, eventTypes, subjectOfType } from '@commonplace/contract/events';
import type { Permission } from '@commonplace/contract/permissions';
import { invalid } from '../errors.ts';
import { seqOfEventId } from './ids.ts';
import type { EventRow, EventSelection } from './store.ts';

/** The permissions of reading what events are about. */
export const readingSubjects = {
  workspace: ['CAN_GET_WORKSPACE'],
  member: ['CAN_LIST_WORKSPACE_MEMBERS'],
  invite: ['CAN_GET_WORKSPACE_INVITE'],
  key: ['CAN_GET_WORKSPACE_ACCESS_KEY'],
  agent: ['CAN_GET_AGENT'],
  session: ['CAN_GET_AGENT_SESSION'],
  message: ['CAN_GET_SESSION_MESSAGE'],
  memory: ['CAN_GET_SESSION_MEMORY'],
  prompt: ['CAN_GET_PROMPT'],
  prompt_version: ['CAN_GET_PROMPT'],
  document: ['CAN_LIST_WORKSPACE_DOCUMENTS'],
  webhook: ['CAN_LIST_WORKSPACE_WEBHOOKS'],
  subject: ['CAN_LIST_WORKSPACE_AUDITS'],
} as const satisfies Record<EventSubject, readonly Permission[]>;

export interface EventReaderScope {
  readonly workspaceId: string;
  /** What the caller may read of. */
  readonly subjects: readonly EventSubject[];
  /** The agents that the caller is limited to. */
  readonly agentIds: readonly string[] | undefined;
}

export function selectionOf(scope: EventReaderScope, { types, sessionId }: EventQuery, afterSeq: number): EventSelection {
  const readable = new Set(scope.subjects);
  const selected = (types ?? eventTypes).filter((type) => readable.has(subjectOfType(type)));
  return {
    afterSeq,
    types: selected.length === eventTypes.length ? undefined : selected,
    sessionId,
    agentIds: scope.agentIds,
  };
}

const names = { after: 'After', cursor: 'Cursor', 'last-event-id': 'Last-Event-ID' };

/** Where to go on from. */
export function seqAfter(workspaceId: string, eventId: string, field: keyof typeof names): number {
  const seq = seqOfEventId(workspaceId, eventId);
  if (seq === undefined) throw invalid(field, `${names[field]} must be the id of an event of this workspace`);
  return seq;
}

/** As the statement selects them, of one that is at hand. */
export function isSelected({ types, sessionId, agentIds }: EventSelection, event: EventRow): boolean {
  if (types && !types.includes(event.type as EventType)) return false;
  if (sessionId !== undefined && event.sessionId !== sessionId) return false;
  return agentIds === undefined || event.agentId === null || agentIds.includes(event.agentId);
}
