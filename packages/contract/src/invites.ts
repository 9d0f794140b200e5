import { z } from 'zod';
import { Role } from './permissions.ts';
import { Email, Id, pageOf, Time } from './wire.ts';

export const InviteStatus = z.enum(['pending', 'accepted', 'rejected', 'expired']);
export type InviteStatus = z.infer<typeof InviteStatus>;

const example = {
  id: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c13',
  workspaceId: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c11',
  workspaceName: 'Support team',
  email: 'grace@example.com',
  role: 'readonly',
  status: 'pending',
  invitedBy: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c10',
  expiresAt: '2026-11-22T09:30:00.000Z',
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:30:00.000Z',
};

export const Invite = z
  .object({
    id: Id,
    workspaceId: Id,
    workspaceName: z.string(),
    email: z.string(),
    role: Role,
    status: InviteStatus,
    invitedBy: Id,
    expiresAt: Time,
    createdAt: Time,
    updatedAt: Time,
  })
  .meta({ id: 'Invite', examples: [example] });
export type Invite = z.infer<typeof Invite>;

export const CreatedInvite = Invite.extend({ token: z.string().describe('Shown once. Whoever is invited accepts with it.') }).meta({
  id: 'CreatedInvite',
  examples: [{ ...example, token: 'cpi_5GyQ1nV0Zt6RkX3mB8sJ2wH7dL4pC9aEu0F1T2' }],
});
export type CreatedInvite = z.infer<typeof CreatedInvite>;

export const NewInvite = z
  .object({ email: Email, role: Role })
  .meta({ id: 'NewInvite', examples: [{ email: 'grace@example.com', role: 'readonly' }] });
export type NewInvite = z.infer<typeof NewInvite>;

export const Invites = pageOf('invites', Invite);
