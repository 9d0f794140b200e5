import { z } from 'zod';
import { Labels } from './labels.ts';
import { Id, Page, pageOf, Time } from './wire.ts';

export const Forgetting = z
  .object({
    labels: Labels.refine((labels) => Object.keys(labels).length > 0, 'must have at least one label').describe(
      'Every session that has all of these is forgotten.',
    ),
  })
  .meta({ id: 'Forgetting', examples: [{ labels: { user: '42' } }] });
export type Forgetting = z.infer<typeof Forgetting>;

const example = {
  id: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c60',
  workspaceId: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c11',
  agentId: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c20',
  labels: { user: '42' },
  counts: { sessions: 2, messages: 31, memories: 6, vectors: 37 },
  at: '2026-11-15T09:30:00.000Z',
  by: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c10',
  digest: '3fdba35f04dc8c462986c992bcf875546257113072a909c162f7e470e581e278',
};

export const Receipt = z
  .object({
    id: Id,
    workspaceId: Id,
    agentId: Id.optional().describe('Where it was asked of one agent.'),
    labels: z.record(z.string(), z.string()).describe('As they were sent; empty where sessions were forgotten by their age.'),
    counts: z.record(z.string(), z.int()).describe('How many of each kind are gone. All are 0 where nothing was left.'),
    at: Time,
    by: z.string().describe('The id of the user who asked, or `service` where it was the retention of an agent.'),
    digest: z.string().describe('SHA-256 over the sorted names of what was forgotten, in hexadecimal digits.'),
  })
  .meta({ id: 'Receipt', examples: [example] });
export type Receipt = z.infer<typeof Receipt>;

export const ReceiptQuery = Page;
export const Receipts = pageOf('receipts', Receipt);
