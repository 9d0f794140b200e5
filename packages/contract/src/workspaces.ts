import { z } from 'zod';
import { Role } from './permissions.ts';
import { Id, pageOf, Time, text } from './wire.ts';

const example = {
  id: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c11',
  name: 'Support team',
  handle: 'support-team-7k2q',
  membersCount: 1,
  role: 'owner',
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:30:00.000Z',
};

export const Workspace = z
  .object({
    id: Id,
    name: z.string(),
    handle: z.string().describe('Made from the name; never changes.'),
    membersCount: z.int(),
    role: Role.describe('The caller’s own role.'),
    createdAt: Time,
    updatedAt: Time,
  })
  .meta({ id: 'Workspace', examples: [example] });
export type Workspace = z.infer<typeof Workspace>;

export const NewWorkspace = z
  .object({ name: text({ min: 3, max: 60, trim: true }) })
  .meta({ id: 'NewWorkspace', examples: [{ name: 'Support team' }] });
export type NewWorkspace = z.infer<typeof NewWorkspace>;

export const WorkspaceChanges = z
  .object({ name: text({ min: 3, max: 60, trim: true }).optional() })
  .meta({ id: 'WorkspaceChanges', examples: [{ name: 'Customer support' }] });
export type WorkspaceChanges = z.infer<typeof WorkspaceChanges>;

export const Workspaces = pageOf('workspaces', Workspace);
export type Workspaces = z.infer<typeof Workspaces>;

const count = z.int().min(0);

export const WorkspaceStats = z
  .object({
    agents: count,
    sessions: count,
    messages: count,
    memories: count,
    prompts: count,
    documents: count,
    chunks: count,
    callsThisMonth: count.describe('Requests to this workspace since the first of the month (UTC), counted with a delay of seconds.'),
  })
  .meta({ id: 'WorkspaceStats' });
export type WorkspaceStats = z.infer<typeof WorkspaceStats>;
