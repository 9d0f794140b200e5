import { z } from 'zod';
import { Role } from './permissions.ts';
import { Id, pageOf, Time } from './wire.ts';

export const Member = z
  .object({ id: Id, workspaceId: Id, userId: Id, name: z.string(), email: z.string(), role: Role, createdAt: Time, updatedAt: Time })
  .meta({
    id: 'Member',
    examples: [
      {
        id: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c12',
        workspaceId: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c11',
        userId: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c10',
        name: 'Ada',
        email: 'ada@example.com',
        role: 'owner',
        createdAt: '2026-11-15T09:30:00.000Z',
        updatedAt: '2026-11-15T09:30:00.000Z',
      },
    ],
  });
export type Member = z.infer<typeof Member>;

export const MemberChanges = z.object({ role: Role }).meta({ id: 'MemberChanges', examples: [{ role: 'admin' }] });
export type MemberChanges = z.infer<typeof MemberChanges>;

export const Members = pageOf('members', Member);
