import { z } from 'zod';
import { FutureMoment, Id, pageOf, Time, text } from './wire.ts';

const example = {
  id: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c14',
  userId: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c10',
  name: 'Laptop',
  hint: 'cpu_…F1T2',
  expiresAt: null,
  lastUsedAt: null,
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:30:00.000Z',
};

export const ApiKey = z
  .object({
    id: Id,
    userId: Id,
    name: z.string(),
    hint: z.string().describe('The first and last characters of the key, to tell keys apart.'),
    expiresAt: Time.nullable(),
    lastUsedAt: Time.nullable().describe('Kept to the minute.'),
    createdAt: Time,
    updatedAt: Time,
  })
  .meta({ id: 'ApiKey', examples: [example] });
export type ApiKey = z.infer<typeof ApiKey>;

export const CreatedApiKey = ApiKey.extend({ key: z.string().describe('Shown once; only a hash is kept.') }).meta({
  id: 'CreatedApiKey',
  examples: [{ ...example, key: 'cpu_5GyQ1nV0Zt6RkX3mB8sJ2wH7dL4pC9aEu0F1T2' }],
});
export type CreatedApiKey = z.infer<typeof CreatedApiKey>;

export const NewApiKey = z
  .object({ name: text({ min: 1, max: 255, trim: true }), expiresAt: FutureMoment.nullish() })
  .meta({ id: 'NewApiKey', examples: [{ name: 'Laptop' }] });
export type NewApiKey = z.infer<typeof NewApiKey>;

export const ApiKeys = pageOf('keys', ApiKey);
