/** The resource whose lines are being read, and what may belong to it. */
import type { DocumentLine, ExportCounts, ExportedKind, LineType, PromptLine, SessionLine } from '@commonplace/contract/transfer';
import { DocumentGroup, type Group, PromptGroup } from './groups.ts';
import type { ImportScope } from './import-scope.ts';
import { SessionGroup } from './session-group.ts';

export const tables = { agent: 'agents', prompt: 'prompts', document: 'documents', session: 'sessions' } as const;
export type ParentType = keyof typeof tables;

/** What belongs to what, and the key that names it. */
export const parents: Partial<Record<LineType, readonly [ParentType, key: string]>> = {
  promptVersion: ['prompt', 'promptId'],
  documentChunks: ['document', 'documentId'],
  message: ['session', 'sessionId'],
  memory: ['session', 'sessionId'],
  memoryEvent: ['session', 'sessionId'],
  memorySources: ['session', 'sessionId'],
  assertion: ['session', 'sessionId'],
  vectors: ['session', 'sessionId'],
};

export const countedChildren: Partial<Record<LineType, ExportedKind>> = {
  promptVersion: 'promptVersions',
  message: 'messages',
  memory: 'memories',
};

export interface OpenGroup {
  readonly type: ParentType;
  readonly id: string;
  readonly line: number;
  /** Undefined where it is there already, or where something is wrong with it. */
  group: Group | undefined;
  isFailed: boolean;
  /** A line that could not be read may have belonged to it. */
  isDoubtful: boolean;
  lines: number;
  readonly counts: Partial<ExportCounts>;
}

export function newGroup(type: ParentType, id: string, line: number, { isFailed = false }): OpenGroup {
  return { type, id, line, group: undefined, isFailed, isDoubtful: false, lines: 0, counts: {} };
}

export async function groupOf(scope: ImportScope, type: Exclude<ParentType, 'agent'>, data: object): Promise<Group> {
  if (type === 'prompt') return new PromptGroup(scope, data as PromptLine);
  return type === 'document' ? new DocumentGroup(scope, data as DocumentLine) : SessionGroup.begin(scope, data as SessionLine);
}
