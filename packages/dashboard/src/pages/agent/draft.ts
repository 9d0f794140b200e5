/** An agent as it is being written, and what of it the API is told. */
import type { Agent, AgentChanges } from '@commonplace/client';
import { type LabelRow, labelRows, labelsOfRows } from '../../design/label-rows.ts';

export interface AgentDraft {
  readonly name: string;
  readonly description: string;
  readonly status: Agent['status'];
  /** Empty for none. */
  readonly promptId: string;
  readonly memoryPipeline: boolean;
  /** Empty for none. */
  readonly memorySubject: string;
  readonly kbLabels: readonly LabelRow[];
}

export function draftOf(agent: Agent): AgentDraft {
  return {
    name: agent.name,
    description: agent.description,
    status: agent.status,
    promptId: agent.promptId ?? '',
    memoryPipeline: agent.configs.memoryPipeline,
    memorySubject: agent.configs.memorySubject ?? '',
    kbLabels: labelRows(agent.kbLabels),
  };
}

export function changesOf(draft: AgentDraft) {
  return {
    name: draft.name.trim(),
    description: draft.description.trim(),
    status: draft.status,
    promptId: draft.promptId || null,
    configs: { memoryPipeline: draft.memoryPipeline, memorySubject: draft.memorySubject.trim() || null },
    kbLabels: labelsOfRows(draft.kbLabels),
  } satisfies AgentChanges;
}

const sorted = (changes: ReturnType<typeof changesOf>) =>
  JSON.stringify({ ...changes, kbLabels: Object.entries(changes.kbLabels).sort(([a], [b]) => (a < b ? -1 : 1)) });

/** Whether saving would tell the service anything new. */
export function isChanged(draft: AgentDraft, agent: Agent): boolean {
  return sorted(changesOf(draft)) !== sorted(changesOf(draftOf(agent)));
}
