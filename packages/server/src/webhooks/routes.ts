import { CreatedWebhook, Deliveries, Delivery, NewWebhook, Webhook, WebhookChanges, Webhooks } from '@commonplace/contract/webhooks';
import { Page } from '@commonplace/contract/wire';
import { users } from '../auth/access.ts';
import type { Context } from '../context.ts';
import { invalid } from '../errors.ts';
import type { Api } from '../http/api.ts';
import type { Outbox } from '../outbox/distribution.ts';
import { AddressRules } from './addresses.ts';
import { listDeliveries, redeliver, sendTest } from './delivery-store.ts';
import { createWebhook, deleteWebhook, listWebhooks, requireWebhook, rotateSecret, updateWebhook } from './store.ts';

/** Where events are sent to: …/workspaces/{workspaceId}/webhooks */
export function webhookRoutes(api: Api, { config }: Context, outbox: Outbox): void {
  const rules = new AddressRules(config.webhooksAllow);
  const checkUrl = (url: string | undefined) => {
    if (url !== undefined && rules.refusesUrl(url)) throw invalid('url', 'Url must not lead to a private address');
  };
  api.tag('Webhooks', 'Addresses that events are sent to as they happen, signed and in order.');
  api.route({
    method: 'POST',
    path: '/workspaces/:workspaceId/webhooks',
    name: 'createWebhook',
    tag: 'Webhooks',
    summary: 'Make a webhook',
    description: 'Events from now on are sent to its `url`. The secret that they are signed with is shown once.',
    access: users('CAN_MANAGE_WORKSPACE_WEBHOOKS'),
    body: NewWebhook,
    stores: 'nothing',
    answers: { status: 201, body: CreatedWebhook },
    fails: [409],
    made: (webhook) => ({ resource: 'webhook', id: webhook.id }),
    // What happened before is none of its events.
    prepare: () => outbox.distribute(),
    handle: async ({ db, by, params, body, nowMs }) => {
      checkUrl(body.url);
      return createWebhook(db, by, params.workspaceId, body, nowMs);
    },
  });
  api.route({
    method: 'GET',
    path: '/workspaces/:workspaceId/webhooks',
    name: 'listWebhooks',
    tag: 'Webhooks',
    summary: 'List the webhooks',
    description: 'Newest first.',
    access: users('CAN_LIST_WORKSPACE_WEBHOOKS'),
    query: Page,
    answers: { status: 200, body: Webhooks },
    handle: async ({ db, params, query }) => {
      const { rows, meta } = await listWebhooks(db, params.workspaceId, query);
      return { webhooks: rows, _meta: meta };
    },
  });
  api.route({
    method: 'GET',
    path: '/workspaces/:workspaceId/webhooks/:webhookId',
    name: 'getWebhook',
    tag: 'Webhooks',
    summary: 'Read a webhook',
    access: users('CAN_LIST_WORKSPACE_WEBHOOKS'),
    answers: { status: 200, body: Webhook },
    handle: ({ db, params }) => requireWebhook(db, params.workspaceId, params.webhookId),
  });
  api.route({
    method: 'PUT',
    path: '/workspaces/:workspaceId/webhooks/:webhookId',
    name: 'updateWebhook',
    tag: 'Webhooks',
    summary: 'Change a webhook',
    description:
      'One that is disabled keeps its place, and goes on from there when it is active again, with the events that are still kept.',
    access: users('CAN_MANAGE_WORKSPACE_WEBHOOKS'),
    body: WebhookChanges,
    stores: 'nothing',
    answers: { status: 200, body: Webhook },
    handle: async ({ db, by, params, body, nowMs }) => {
      checkUrl(body.url);
      return updateWebhook(db, by, params.workspaceId, params.webhookId, body, nowMs);
    },
  });
  api.route({
    method: 'DELETE',
    path: '/workspaces/:workspaceId/webhooks/:webhookId',
    name: 'deleteWebhook',
    tag: 'Webhooks',
    summary: 'Delete a webhook',
    description: 'With its deliveries. Nothing is sent any more once this is answered.',
    access: users('CAN_MANAGE_WORKSPACE_WEBHOOKS'),
    answers: { status: 204 },
    handle: ({ db, by, params, nowMs }) => deleteWebhook(db, by, params.workspaceId, params.webhookId, nowMs),
  });
  api.route({
    method: 'POST',
    path: '/workspaces/:workspaceId/webhooks/:webhookId/test',
    name: 'testWebhook',
    tag: 'Webhooks',
    summary: 'Send a test',
    description: 'One delivery of the type `webhook.test`, tried once. What became of it is in the deliveries.',
    access: users('CAN_MANAGE_WORKSPACE_WEBHOOKS'),
    stores: 'nothing',
    answers: { status: 202, body: Delivery },
    fails: [409],
    handle: ({ db, params, nowMs }) => sendTest(db, params.workspaceId, params.webhookId, nowMs),
  });
  api.route({
    method: 'POST',
    path: '/workspaces/:workspaceId/webhooks/:webhookId/rotate',
    name: 'rotateWebhookSecret',
    tag: 'Webhooks',
    summary: 'Make a new secret',
    description: 'It is shown once. For 24 hours deliveries are signed with the old one too.',
    access: users('CAN_MANAGE_WORKSPACE_WEBHOOKS'),
    stores: 'nothing',
    answers: { status: 200, body: CreatedWebhook },
    made: (webhook) => ({ resource: 'secret of webhook', id: webhook.id }),
    handle: ({ db, by, params, nowMs }) => rotateSecret(db, by, params.workspaceId, params.webhookId, nowMs),
  });
  api.route({
    method: 'GET',
    path: '/workspaces/:workspaceId/webhooks/:webhookId/deliveries',
    name: 'listDeliveries',
    tag: 'Webhooks',
    summary: 'List the deliveries of a webhook',
    description: 'Newest first, with every try and the beginning of its answer. They are kept as long as events.',
    access: users('CAN_LIST_WORKSPACE_WEBHOOKS'),
    query: Page,
    answers: { status: 200, body: Deliveries },
    handle: async ({ db, params, query }) => {
      const { rows, meta } = await listDeliveries(db, params.workspaceId, params.webhookId, query);
      return { deliveries: rows, _meta: meta };
    },
  });
  api.route({
    method: 'POST',
    path: '/workspaces/:workspaceId/webhooks/:webhookId/deliveries/:deliveryId/redeliver',
    name: 'redeliver',
    tag: 'Webhooks',
    summary: 'Send a delivery again',
    description: 'With the same `webhook-id`. One that is pending is tried now, unless it waits for one before it.',
    access: users('CAN_MANAGE_WORKSPACE_WEBHOOKS'),
    stores: 'nothing',
    answers: { status: 202, body: Delivery },
    fails: [409],
    handle: ({ db, params, nowMs }) => redeliver(db, params.workspaceId, params.webhookId, params.deliveryId, nowMs),
  });
}
