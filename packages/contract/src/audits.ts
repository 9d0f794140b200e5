import { z } from 'zod';
import { filter, Id, JsonValue, Moment, Page, pageOf, Time, text } from './wire.ts';

export const Audit = z
  .object({
    id: Id,
    workspaceId: Id.describe('All zeros where the entry belongs to an account and to no workspace.'),
    action: z.string().describe('Such as `access_key.create`.'),
    actorType: z.enum(['user', 'access-key', 'system']),
    actorId: z.string(),
    actorName: z.string(),
    resourceType: z.string(),
    resourceId: z.string(),
    detail: JsonValue.describe('What changed. Never a secret.'),
    address: z.string(),
    requestId: z.string(),
    createdAt: Time,
  })
  .meta({
    id: 'Audit',
    examples: [
      {
        id: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c16',
        workspaceId: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c11',
        action: 'access_key.create',
        actorType: 'user',
        actorId: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c10',
        actorName: 'Ada',
        resourceType: 'access_key',
        resourceId: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c15',
        detail: { name: 'Production agent' },
        address: '127.0.0.1',
        requestId: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c17',
        createdAt: '2026-11-15T09:30:00.000Z',
      },
    ],
  });
export type Audit = z.infer<typeof Audit>;

export const AuditQuery = Page.extend({
  action: filter(text({ max: 100 })),
  actorId: filter(text({ max: 100 })),
  since: filter(Moment),
  until: filter(Moment),
});
export type AuditQuery = z.infer<typeof AuditQuery>;

/** Of the caller's own account, so there is no other actor to ask for. */
export const AccountAuditQuery = AuditQuery.omit({ actorId: true });
export type AccountAuditQuery = z.infer<typeof AccountAuditQuery>;

export const Audits = pageOf('audits', Audit);
