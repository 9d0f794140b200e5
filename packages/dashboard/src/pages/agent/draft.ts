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

/** Each field as the API is told it. */
function toldOf(draft: AgentDraft) {
  return {
    name: draft.name.trim(),
    description: draft.description.trim(),
    status: draft.status,
    promptId: draft.promptId || null,
    memoryPipeline: draft.memoryPipeline,
    memorySubject: draft.memorySubject.trim() || null,
    kbLabels: labelsOfRows(draft.kbLabels),
  };
}

const fields = [
  'name',
  'description',
  'status',
  'promptId',
  'memoryPipeline',
  'memorySubject',
  'kbLabels',
] as const satisfies readonly (keyof AgentDraft)[];

/** Labels have no order. */
const asText = (value: unknown) =>
  typeof value === 'object' && value !== null
    ? JSON.stringify(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : JSON.stringify(value);

/** The fields in which the two say something else. */
function differing(draft: AgentDraft, other: AgentDraft): (keyof AgentDraft)[] {
  const [told, otherTold] = [toldOf(draft), toldOf(other)];
  return fields.filter((field) => asText(told[field]) !== asText(otherTold[field]));
}

/** What the draft changes of the agent that it began from, and nothing else: the rest may have been changed by others since. */
export function changesOf(draft: AgentDraft, begun: Agent): AgentChanges {
  const told = toldOf(draft);
  const { memoryPipeline, memorySubject, ...changes } = Object.fromEntries(
    differing(draft, draftOf(begun)).map((field) => [field, told[field]]),
  ) as Partial<typeof told>;
  const configs = { ...(memoryPipeline !== undefined && { memoryPipeline }), ...(memorySubject !== undefined && { memorySubject }) };
  return { ...changes, ...(Object.keys(configs).length > 0 && { configs }) };
}

/** Whether saving would tell the service anything new. */
export function isChanged(draft: AgentDraft, agent: Agent): boolean {
  return differing(draft, draftOf(agent)).length > 0;
}

/** The draft over a later state of the agent: what others changed comes in, unless it was changed here too. */
export function carriedOver(draft: AgentDraft, begun: Agent, agent: Agent): AgentDraft {
  const [before, after] = [draftOf(begun), draftOf(agent)];
  const touched = differing(draft, before);
  const taken = differing(before, after).filter((field) => !touched.includes(field));
  return { ...draft, ...Object.fromEntries(taken.map((field) => [field, after[field]])) };
}
