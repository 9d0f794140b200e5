import { z } from 'zod';
import { EventTypeName, eventTypes } from './events.ts';
import { Id, listOf, pageOf, Time, text } from './wire.ts';

export const LONGEST_WEBHOOK_URL = 2_048;

export const WebhookStatus = z.enum(['active', 'disabled']);
export type WebhookStatus = z.infer<typeof WebhookStatus>;

const example = {
  id: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c80',
  workspaceId: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c11',
  url: 'https://hooks.example.com/commonplace',
  types: ['message.created', 'memory.created'],
  description: 'Tells the help desk',
  status: 'active',
  disabledReason: null,
  lastSuccessAt: '2026-11-15T09:31:00.000Z',
  failingSince: null,
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:30:00.000Z',
};

export const Webhook = z
  .object({
    id: Id,
    workspaceId: Id,
    url: z.string(),
    types: z.array(z.string()).describe('The types of events that are sent; empty for all.'),
    description: z.string(),
    status: WebhookStatus,
    disabledReason: z.string().nullable().describe('Why the service switched it off; null where it did not.'),
    lastSuccessAt: Time.nullable().describe('When something was last taken; kept to the minute.'),
    failingSince: Time.nullable().describe('When a delivery first failed, since the last one that was taken.'),
    createdAt: Time,
    updatedAt: Time,
  })
  .meta({ id: 'Webhook', examples: [example] });
export type Webhook = z.infer<typeof Webhook>;

const exampleSecret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD5sYf1dWmQ0Y=';

export const CreatedWebhook = Webhook.extend({
  secret: z.string().describe('What deliveries are signed with. Shown once.'),
}).meta({ id: 'CreatedWebhook', examples: [{ ...example, secret: exampleSecret, lastSuccessAt: null }] });
export type CreatedWebhook = z.infer<typeof CreatedWebhook>;

/** Where it leads is judged elsewhere; this is its form. */
const WebhookUrl = text({ min: 1, max: LONGEST_WEBHOOK_URL, trim: true })
  .refine((url) => complaintAbout(url) === undefined, {
    error: ({ input }) => complaintAbout(String(input)) ?? 'is not valid',
  })
  .meta({ format: 'uri', examples: [example.url] });

function complaintAbout(url: string): string | undefined {
  // Complained about already.
  if (url === '' || [...url].length > LONGEST_WEBHOOK_URL) return undefined;
  if (!/^https?:\/\/[^\s\p{Cc}\\]+$/iu.test(url) || !URL.canParse(url)) return 'must be an http or https address';
  const { username, password } = new URL(url);
  return username === '' && password === '' && !/^[^/]*\/\/[^/?#]*@/.test(url) ? undefined : 'must not contain credentials';
}

const types = listOf(EventTypeName, { max: eventTypes.length })
  .transform((names) => [...new Set(names)])
  .nullish()
  .describe('The types of events to send; all when absent, null or empty.');
const description = text({ max: 1_000 }).nullish();

export const NewWebhook = z
  .object({ url: WebhookUrl, types, description, status: WebhookStatus.optional() })
  .meta({ id: 'NewWebhook', examples: [{ url: example.url, types: example.types, description: example.description }] });
export type NewWebhook = z.infer<typeof NewWebhook>;

export const WebhookChanges = z
  .object({ url: WebhookUrl.optional(), types, description, status: WebhookStatus.optional() })
  .meta({ id: 'WebhookChanges', examples: [{ types: ['message.created'], status: 'active' }] });
export type WebhookChanges = z.infer<typeof WebhookChanges>;

export const Webhooks = pageOf('webhooks', Webhook);

export const DeliveryStatus = z.enum(['pending', 'delivered', 'failed']);
export type DeliveryStatus = z.infer<typeof DeliveryStatus>;

export const DeliveryAttempt = z.object({
  attemptedAt: Time,
  durationMs: z.int(),
  status: z.int().nullable().describe('The status of the answer; null where there was none.'),
  answer: z.string().describe('The beginning of the answer, 1 kB at most.'),
  error: z.string().nullable().describe('Why it counts as failed; null where it was taken.'),
});
export type DeliveryAttempt = z.infer<typeof DeliveryAttempt>;

export const Delivery = z
  .object({
    id: Id,
    webhookId: Id,
    eventId: Id.describe('The `webhook-id` of every try.'),
    type: z.string(),
    status: DeliveryStatus,
    attempts: z.array(DeliveryAttempt).describe('Oldest first; the last 20 where there were more.'),
    nextAttemptAt: Time.nullable().describe('Of a pending one, when it is tried; null while it waits for one before it.'),
    createdAt: Time,
    updatedAt: Time,
  })
  .meta({
    id: 'Delivery',
    examples: [
      {
        id: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c81',
        webhookId: example.id,
        eventId: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c90',
        type: 'message.created',
        status: 'delivered',
        attempts: [{ attemptedAt: '2026-11-15T09:31:00.000Z', durationMs: 84, status: 200, answer: 'ok', error: null }],
        nextAttemptAt: null,
        createdAt: '2026-11-15T09:31:00.000Z',
        updatedAt: '2026-11-15T09:31:00.084Z',
      },
    ],
  });
export type Delivery = z.infer<typeof Delivery>;

export const Deliveries = pageOf('deliveries', Delivery);
