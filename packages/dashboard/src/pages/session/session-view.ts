/** What the parts of a session's page share: the place, the messages, the memories, and what is looked at. */
import type { Memory, Message, Session } from '@commonplace/client';
import { createContext, useContext } from 'react';
import type { MessagePages } from './conversation/message-pages.ts';
import type { SessionSearch } from './search-params.ts';

export interface SessionPlace {
  readonly workspaceId: string;
  readonly agentId: string;
  readonly sessionId: string;
}

/** Where to scroll; another number for every press, so that the same place can be gone to twice. */
export interface Jump {
  readonly messageId: string;
  readonly press: number;
}

export interface SessionView {
  readonly place: SessionPlace;
  readonly session: Session;
  readonly agentName: string;
  readonly pages: MessagePages;
  readonly memories: readonly Memory[];
  readonly memoriesByMessage: ReadonlyMap<string, readonly Memory[]>;
  /** Ids of the messages that are evidence of what is chosen. */
  readonly marked: ReadonlySet<string>;
  readonly search: SessionSearch;
  /** `look` is undone by Back; a filter replaces what was before. */
  readonly look: (next: SessionSearch) => void;
  readonly filter: (next: SessionSearch) => void;
  readonly jump: Jump | undefined;
  /** Scrolls to a message and marks it, also where it is not loaded. */
  readonly goToMessage: (messageId: string) => void;
  readonly openMemory: (memoryId: string | undefined) => void;
}

const SessionViewContext = createContext<SessionView | undefined>(undefined);
export const SessionViewProvider = SessionViewContext.Provider;

export function useSessionView(): SessionView {
  const view = useContext(SessionViewContext);
  if (!view) throw new Error('Outside of a session');
  return view;
}

/** The messages of this session that a memory came from. */
export function sourcesOf(memory: Pick<Memory, 'meta'>): readonly string[] {
  const { meta } = memory;
  if (typeof meta !== 'object' || meta === null || !('messageIds' in meta) || !Array.isArray(meta.messageIds)) return [];
  return meta.messageIds.filter((id): id is string => typeof id === 'string');
}

export const sessionKey = ({ workspaceId, agentId, sessionId }: SessionPlace) =>
  ['workspace', workspaceId, 'agents', agentId, 'sessions', sessionId] as const;

/** Below `/api/v1`. */
export const sessionPath = ({ workspaceId, agentId, sessionId }: SessionPlace) =>
  `/workspaces/${workspaceId}/agents/${agentId}/sessions/${sessionId}`;

export const roleNames: Readonly<Record<Message['role'], string>> = { user: 'User', assistant: 'Assistant', system: 'System' };
