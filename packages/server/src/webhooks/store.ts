import type { CreatedWebhook, NewWebhook, Webhook, WebhookChanges } from '@commonplace/contract/webhooks';
import type { Page } from '@commonplace/contract/wire';
import { recordAudit } from '../audits/store.ts';
import type { Actor } from '../auth/callers.ts';
import { timestamp } from '../clock.ts';
import type { Queryable, Transactable } from '../db/database.ts';
import { newId } from '../db/ids.ts';
import { invalidate } from '../db/invalidation.ts';
import { type Listed, listPage } from '../db/paging.ts';
import { shape } from '../db/shape.ts';
import { forUpdate, type Sql, sql } from '../db/sql.ts';
import { conflict, notFound } from '../errors.ts';
import { lastSeqOf } from '../events/store.ts';
import { enqueue } from '../jobs/queue.ts';
import { recordEvent } from '../outbox/outbox.ts';
import { newSigningSecret } from './signing.ts';

export const MOST_WEBHOOKS = 50;
const FORMER_SECRET_MS = 24 * 60 * 60 * 1000;
const CHANGED_AT_ONCE = 1_000;
export const PURGE_WEBHOOK = 'purge-webhook';

/** What nodes are told when a webhook is changed or gone: whoever sends for it stops before the change is answered. */
export const WEBHOOKS_TOPIC = 'webhooks';

const columns = shape<Webhook>({
  id: 'text',
  workspaceId: 'text',
  url: 'text',
  types: 'json',
  description: 'text',
  status: 'text',
  disabledReason: 'text',
  lastSuccessAt: 'time',
  failingSince: 'time',
  createdAt: 'time',
  updatedAt: 'time',
});

interface Sending {
  secret: string;
  formerSecret: string | null;
  formerSecretUntil: string | null;
  afterSeq: number;
  dueAt: string | null;
}

const stored = columns.with<Sending>({
  secret: 'text',
  formerSecret: 'text',
  formerSecretUntil: 'time',
  afterSeq: 'integer',
  dueAt: 'time',
});

/** A webhook with what is needed to send for it. */
export type StoredWebhook = Webhook & Sending;
export const storedColumns: Sql<StoredWebhook> = stored;

export async function createWebhook(
  db: Transactable,
  by: Actor,
  workspaceId: string,
  fields: NewWebhook,
  nowMs: number,
): Promise<CreatedWebhook> {
  const now = timestamp(nowMs);
  const secret = newSigningSecret();
  const webhook: Webhook = {
    id: newId(),
    workspaceId,
    url: fields.url,
    types: fields.types ?? [],
    description: fields.description ?? '',
    status: fields.status ?? 'active',
    disabledReason: null,
    lastSuccessAt: null,
    failingSince: null,
    createdAt: now,
    updatedAt: now,
  };
  const { url, types, description, status } = webhook;
  await db.transaction(async (tx) => {
    // One at a time, or two would both find room for the last.
    await tx.one(sql`select id from workspaces where id = ${workspaceId}${forUpdate}`.orElse(() => notFound('Workspace')));
    const { count } = await tx.one(sql<{ count: number }>`select count(*) as count from webhooks where workspace_id = ${workspaceId}`);
    if (count >= MOST_WEBHOOKS) throw conflict(`A workspace has at most ${MOST_WEBHOOKS} webhooks`);
    const afterSeq = await lastSeqOf(tx, workspaceId);
    await tx.batch([
      stored.insertInto('webhooks', [{ ...webhook, secret, formerSecret: null, formerSecretUntil: null, afterSeq, dueAt: null }]),
      recordAudit(
        by,
        { workspaceId, action: 'webhook.create', resourceId: webhook.id, detail: { url, types, description, status } },
        nowMs,
      ),
      recordEvent({ workspaceId, type: 'webhook.created', subjectId: webhook.id }, nowMs),
    ]);
  });
  return { ...webhook, secret };
}

export async function listWebhooks(db: Queryable, workspaceId: string, page: Page): Promise<Listed<Webhook>> {
  const webhooks = sql`from webhooks where workspace_id = ${workspaceId}`;
  return listPage(db, page, {
    rows: sql<Webhook>`select ${columns} ${webhooks}`,
    counted: webhooks,
    key: 'id',
    keyKind: 'id',
    order: 'desc',
    keyOf: ({ id }) => id,
    longColumns: [],
  });
}

export async function requireWebhook(db: Queryable, workspaceId: string, webhookId: string): Promise<Webhook> {
  const webhook = await db.maybeOne(
    sql<Webhook>`select ${columns} from webhooks where workspace_id = ${workspaceId} and id = ${webhookId}`,
  );
  if (!webhook) throw notFound('Webhook');
  return webhook;
}

/** One that is switched on goes on where it stopped, and tries at once what failed before. */
export async function updateWebhook(
  db: Transactable,
  by: Actor,
  workspaceId: string,
  webhookId: string,
  changes: WebhookChanges,
  nowMs: number,
): Promise<Webhook> {
  const now = timestamp(nowMs);
  return db.transaction(async (tx) => {
    const before = await tx.one(
      sql<Pick<Webhook, 'status'>>`
        select status from webhooks where workspace_id = ${workspaceId} and id = ${webhookId}${forUpdate}`.orElse(() =>
        notFound('Webhook'),
      ),
    );
    const isEnabled = changes.status === 'active' && before.status === 'disabled';
    const set = stored.assignments({
      url: changes.url,
      types: changes.types === null ? [] : changes.types,
      description: changes.description === null ? '' : changes.description,
      status: changes.status,
      disabledReason: isEnabled ? null : undefined,
      failingSince: isEnabled ? null : undefined,
      dueAt: changes.status === 'disabled' ? null : isEnabled ? now : undefined,
      updatedAt: now,
    });
    const [[webhook]] = await tx.batch([
      sql<Webhook>`update webhooks set ${set} where workspace_id = ${workspaceId} and id = ${webhookId} returning ${columns}`.orElse(() =>
        notFound('Webhook'),
      ),
      ...(isEnabled ? [tryAtOnce(workspaceId, webhookId, now)] : []),
      recordAudit(by, { workspaceId, action: 'webhook.update', resourceId: webhookId, detail: changes }, nowMs),
      recordEvent({ workspaceId, type: 'webhook.updated', subjectId: webhookId }, nowMs),
      invalidate(WEBHOOKS_TOPIC, webhookId),
    ]);
    return webhook;
  });
}

/** Those that failed before, as if for the first time; bounded, as there is one for each line. The others follow at their own time. */
function tryAtOnce(workspaceId: string, webhookId: string, now: string): Sql {
  const failed = sql`workspace_id = ${workspaceId} and webhook_id = ${webhookId} and due_at is not null and tries > 0`;
  return sql`
    update webhook_deliveries set due_at = ${now}, tries = 0 where ${failed} and id in (
      select id from webhook_deliveries where ${failed} order by due_at limit ${CHANGED_AT_ONCE})`;
}

/** The old secret signs too for a day, so that receivers can change over. */
export async function rotateSecret(
  db: Queryable,
  by: Actor,
  workspaceId: string,
  webhookId: string,
  nowMs: number,
): Promise<CreatedWebhook> {
  const secret = newSigningSecret();
  const [[webhook]] = await db.batch([
    sql<Webhook>`
      update webhooks set former_secret = secret, former_secret_until = ${timestamp(nowMs + FORMER_SECRET_MS)}, secret = ${secret},
        updated_at = ${timestamp(nowMs)}
      where workspace_id = ${workspaceId} and id = ${webhookId} returning ${columns}`.orElse(() => notFound('Webhook')),
    recordAudit(by, { workspaceId, action: 'webhook.rotate', resourceId: webhookId }, nowMs),
    recordEvent({ workspaceId, type: 'webhook.updated', subjectId: webhookId }, nowMs),
    invalidate(WEBHOOKS_TOPIC, webhookId),
  ]);
  return { ...webhook, secret };
}

/** Gone with its deliveries; where they are very many, the rest of their rows follows in the background, and nobody sees or sends it. */
export async function deleteWebhook(db: Queryable, by: Actor, workspaceId: string, webhookId: string, nowMs: number): Promise<void> {
  const deliveries = sql`from webhook_deliveries where workspace_id = ${workspaceId} and webhook_id = ${webhookId}`;
  await db.batch([
    sql`delete from webhooks where workspace_id = ${workspaceId} and id = ${webhookId}`.orElse(() => notFound('Webhook')),
    sql`delete ${deliveries} and id in (select id ${deliveries} limit ${CHANGED_AT_ONCE})`,
    enqueue({ kind: PURGE_WEBHOOK, workspaceId, key: webhookId, payload: { webhookId } }, nowMs),
    recordAudit(by, { workspaceId, action: 'webhook.delete', resourceId: webhookId }, nowMs),
    recordEvent({ workspaceId, type: 'webhook.deleted', subjectId: webhookId }, nowMs),
    invalidate(WEBHOOKS_TOPIC, webhookId),
  ]);
}
