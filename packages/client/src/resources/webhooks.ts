import type { APIPromise } from '../api-promise.ts';
import type { PageParams, PagePromise } from '../page.ts';
import type { RequestOptions } from '../transport.ts';
import type { CreatedWebhook, Delivery, NewWebhook, Webhook, WebhookChanges } from '../types.ts';
import { WorkspaceResource } from './resource.ts';

const webhooks = '/workspaces/{workspaceId}/webhooks';
const webhook = `${webhooks}/{webhookId}` as const;

/** Where events are sent to as they happen. */
export class Webhooks extends WorkspaceResource {
  /** The secret that deliveries are signed with is shown once. */
  create(body: NewWebhook, options?: RequestOptions): APIPromise<CreatedWebhook> {
    return this.request('POST', webhooks, { body }, options);
  }

  /** Newest first. */
  list(query: PageParams = {}, options?: RequestOptions): PagePromise<Webhook> {
    return this.listing(webhooks, { key: 'webhooks', query }, options);
  }

  get(webhookId: string, options?: RequestOptions): APIPromise<Webhook> {
    return this.request('GET', webhook, { ids: { webhookId } }, options);
  }

  update(webhookId: string, body: WebhookChanges, options?: RequestOptions): APIPromise<Webhook> {
    return this.request('PUT', webhook, { ids: { webhookId }, body }, options);
  }

  /** With its deliveries; nothing is sent any more. */
  delete(webhookId: string, options?: RequestOptions): APIPromise<void> {
    return this.request('DELETE', webhook, { ids: { webhookId } }, options);
  }

  /** Sends one delivery of the type `webhook.test`, once. */
  test(webhookId: string, options?: RequestOptions): APIPromise<Delivery> {
    return this.request('POST', `${webhook}/test`, { ids: { webhookId } }, options);
  }

  /** The new secret is shown once; the old one signs too for 24 hours. */
  rotate(webhookId: string, options?: RequestOptions): APIPromise<CreatedWebhook> {
    return this.request('POST', `${webhook}/rotate`, { ids: { webhookId } }, options);
  }

  /** Newest first, with every try. */
  deliveries(webhookId: string, query: PageParams = {}, options?: RequestOptions): PagePromise<Delivery> {
    return this.listing(`${webhook}/deliveries`, { key: 'deliveries', ids: { webhookId }, query }, options);
  }

  redeliver(webhookId: string, deliveryId: string, options?: RequestOptions): APIPromise<Delivery> {
    return this.request('POST', `${webhook}/deliveries/{deliveryId}/redeliver`, { ids: { webhookId, deliveryId } }, options);
  }
}
