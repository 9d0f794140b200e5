import { z } from 'zod';
import { grantablePermissions, type Permission } from './permissions.ts';
import { FutureMoment, Id, listOf, pageOf, Time, text } from './wire.ts';

export const GrantablePermission = z.enum(grantablePermissions as [Permission, ...Permission[]]).meta({ id: 'Permission' });

const example = {
  id: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c15',
  workspaceId: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c11',
  name: 'Production agent',
  permissions: ['CAN_CREATE_SESSION_MESSAGE', 'CAN_QUERY_SESSION_MESSAGES'],
  hint: 'cpa_…F1T2',
  createdBy: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c10',
  expiresAt: null,
  lastUsedAt: null,
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:30:00.000Z',
};

export const AccessKey = z
  .object({
    id: Id,
    workspaceId: Id,
    name: z.string(),
    permissions: z.array(GrantablePermission),
    agentIds: z.array(Id).optional().describe('The agents that the key is limited to; absent where it reaches all of its workspace.'),
    hint: z.string().describe('The first and last characters of the key, to tell keys apart.'),
    createdBy: Id,
    expiresAt: Time.nullable(),
    lastUsedAt: Time.nullable().describe('Kept to the minute.'),
    createdAt: Time,
    updatedAt: Time,
  })
  .meta({ id: 'AccessKey', examples: [example] });
export type AccessKey = z.infer<typeof AccessKey>;

export const CreatedAccessKey = AccessKey.extend({ key: z.string().describe('Shown once; only a hash is kept.') }).meta({
  id: 'CreatedAccessKey',
  examples: [{ ...example, key: 'cpa_5GyQ1nV0Zt6RkX3mB8sJ2wH7dL4pC9aEu0F1T2' }],
});
export type CreatedAccessKey = z.infer<typeof CreatedAccessKey>;

export const NewAccessKey = z
  .object({
    name: text({ min: 1, max: 60, trim: true }),
    permissions: listOf(GrantablePermission, { min: 1, max: grantablePermissions.length }).transform((names) => [...new Set(names)]),
    expiresAt: FutureMoment.nullish(),
    agentIds: listOf(Id, { min: 1, max: 50 })
      .transform((ids) => [...new Set(ids)])
      .nullish()
      .describe('Limits the key to these agents: all others, and their sessions, are not there for it.'),
  })
  .meta({ id: 'NewAccessKey', examples: [{ name: example.name, permissions: example.permissions }] });
export type NewAccessKey = z.infer<typeof NewAccessKey>;

export const AccessKeys = pageOf('keys', AccessKey);
