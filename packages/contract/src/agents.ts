import { z } from 'zod';
import { Labels, LONGEST_LABEL_KEY } from './labels.ts';
import { Id, Page, pageOf, Time, text } from './wire.ts';

export const AgentStatus = z.enum(['active', 'archived']);

const pipelineMeaning = 'Whether messages feed the extraction of memories.';
const subjectMeaning = 'The key of a label that names a person: sessions with the same value share what is remembered.';

const retentionMeaning = 'After how many days without a message a session is forgotten for good.';
/** A hundred years. */
const MOST_RETENTION_DAYS = 36_500;

export const AgentConfigs = z
  .object({
    memoryPipeline: z.boolean().describe(pipelineMeaning),
    memorySubject: z.string().optional().describe(subjectMeaning),
    retentionDays: z.int().optional().describe(retentionMeaning),
  })
  .meta({ id: 'AgentConfigs', examples: [{ memoryPipeline: true, memorySubject: 'user' }] });
export type AgentConfigs = z.infer<typeof AgentConfigs>;

/** What is left out keeps its value. */
export const AgentConfigChanges = z
  .object({
    memoryPipeline: z.boolean().optional().describe(`${pipelineMeaning} Of a new agent false when absent.`),
    memorySubject: text({ max: LONGEST_LABEL_KEY }).nullish().describe(`${subjectMeaning} Null or an empty one takes it away.`),
    retentionDays: z.int().min(1).max(MOST_RETENTION_DAYS).nullish().describe(`${retentionMeaning} Null takes it away.`),
  })
  .meta({ id: 'AgentConfigChanges', examples: [{ memoryPipeline: true, memorySubject: 'user' }] });
export type AgentConfigChanges = z.infer<typeof AgentConfigChanges>;

const example = {
  id: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c20',
  workspaceId: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c11',
  name: 'Support bot',
  kind: 'unmanaged',
  handle: 'support-bot',
  description: 'Answers customers.',
  status: 'active',
  configs: { memoryPipeline: false },
  promptId: null,
  kbLabels: {},
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:30:00.000Z',
};

export const Agent = z
  .object({
    id: Id,
    workspaceId: Id,
    name: z.string(),
    kind: z.literal('unmanaged'),
    handle: z.string().describe('Made from the name, unique in the workspace; never changes.'),
    description: z.string(),
    status: AgentStatus,
    configs: AgentConfigs,
    promptId: Id.nullable(),
    kbLabels: z.record(z.string(), z.string()).describe('Narrows what knowledge this agent sees.'),
    createdAt: Time,
    updatedAt: Time,
  })
  .meta({ id: 'Agent', examples: [example] });
export type Agent = z.infer<typeof Agent>;

const Description = text({ max: 2000, trim: true }).nullable();

const fields = z.object({
  name: text({ min: 1, max: 100, trim: true }),
  configs: AgentConfigChanges.nullish(),
  promptId: Id.nullish(),
  kbLabels: Labels.nullish(),
});

export const NewAgent = fields
  .extend({ description: Description.optional().transform((description) => description ?? '') })
  .meta({ id: 'NewAgent', examples: [{ name: 'Support bot', description: 'Answers customers.' }] });
export type NewAgent = z.infer<typeof NewAgent>;

export const AgentChanges = fields
  .partial()
  .extend({ description: Description.transform((description) => description ?? '').optional(), status: AgentStatus.optional() })
  .meta({ id: 'AgentChanges', examples: [{ status: 'archived' }] });
export type AgentChanges = z.infer<typeof AgentChanges>;

export const AgentQuery = Page.extend({ handle: text({ min: 1, max: 255 }).optional().describe('The one agent with this handle.') });
export type AgentQuery = z.infer<typeof AgentQuery>;

export const Agents = pageOf('agents', Agent);
