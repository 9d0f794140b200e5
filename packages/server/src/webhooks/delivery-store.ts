/** Deliveries as people see them: listed, asked for again, and tests. What sends them is in `queue-store.ts`. */
import type { Delivery } from '@commonplace/contract/webhooks';
import type { Page } from '@commonplace/contract/wire';
import { timestamp } from '../clock.ts';
import type { Queryable, Transactable, Transaction } from '../db/database.ts';
import { newId } from '../db/ids.ts';
import { type Listed, listPage } from '../db/paging.ts';
import { shape } from '../db/shape.ts';
import { forUpdate, sql } from '../db/sql.ts';
import { conflict, notFound } from '../errors.ts';
import { requireWebhook } from './store.ts';

export const TEST_TYPE = 'webhook.test';

type DeliveryRow = Omit<Delivery, 'nextAttemptAt'> & { workspaceId: string; dueAt: string | null };

const columns = shape<DeliveryRow>({
  id: 'text',
  workspaceId: 'text',
  webhookId: 'text',
  eventId: 'text',
  type: 'text',
  status: 'text',
  attempts: 'json',
  dueAt: 'time',
  createdAt: 'time',
  updatedAt: 'time',
});

export interface QueuedDelivery extends DeliveryRow {
  /** Null for a test. */
  readonly seq: number | null;
  readonly line: string;
  readonly sessionId: string | null;
  readonly tries: number;
}

export const queuedColumns = columns.with<Pick<QueuedDelivery, 'seq' | 'line' | 'sessionId' | 'tries'>>({
  seq: 'integer',
  line: 'text',
  sessionId: 'text',
  tries: 'integer',
});

/** A test, or one that is sent again: alone in its line. */
export function wasAskedFor({ line, id }: QueuedDelivery): boolean {
  return line === id;
}

function shown({ dueAt, workspaceId: _, ...delivery }: DeliveryRow): Delivery {
  return { ...delivery, nextAttemptAt: dueAt };
}

export async function listDeliveries(db: Queryable, workspaceId: string, webhookId: string, page: Page): Promise<Listed<Delivery>> {
  await requireWebhook(db, workspaceId, webhookId);
  const deliveries = sql`from webhook_deliveries where workspace_id = ${workspaceId} and webhook_id = ${webhookId}`;
  const { rows, meta } = await listPage(db, page, {
    rows: sql<DeliveryRow>`select ${columns} ${deliveries}`,
    counted: deliveries,
    key: 'id',
    keyKind: 'id',
    order: 'desc',
    keyOf: ({ id }) => id,
    longColumns: ['attempts'],
  });
  return { rows: rows.map(shown), meta };
}

/** A delivery that is no event of the workspace, beside whatever else is on its way. */
export async function sendTest(db: Transactable, workspaceId: string, webhookId: string, nowMs: number): Promise<Delivery> {
  const now = timestamp(nowMs);
  const id = newId();
  const delivery: QueuedDelivery = {
    id,
    workspaceId,
    webhookId,
    eventId: newId(),
    type: TEST_TYPE,
    seq: null,
    line: id,
    sessionId: null,
    status: 'pending',
    tries: 0,
    attempts: [],
    dueAt: now,
    createdAt: now,
    updatedAt: now,
  };
  await db.transaction(async (tx) => {
    await makeDue(tx, workspaceId, webhookId, now);
    await tx.run(queuedColumns.insertInto('webhook_deliveries', [delivery]));
  });
  return shown(delivery);
}

/** One that is pending is tried now, unless it waits for another; any other is sent again, and holds up none that came after it. */
export async function redeliver(
  db: Transactable,
  workspaceId: string,
  webhookId: string,
  deliveryId: string,
  nowMs: number,
): Promise<Delivery> {
  const now = timestamp(nowMs);
  const it = sql`workspace_id = ${workspaceId} and webhook_id = ${webhookId} and id = ${deliveryId}`;
  return db.transaction(async (tx) => {
    await makeDue(tx, workspaceId, webhookId, now);
    const { status } = await tx.one(
      sql<Pick<Delivery, 'status'>>`select status from webhook_deliveries where ${it}${forUpdate}`.orElse(() => notFound('Delivery')),
    );
    const set =
      status === 'pending'
        ? sql`due_at = case when due_at > ${now} then ${now} else due_at end`
        : sql`status = 'pending', tries = 0, line = id, due_at = ${now}`;
    return shown(
      await tx.one(sql<DeliveryRow>`update webhook_deliveries set ${set}, updated_at = ${now} where ${it} returning ${columns}`),
    );
  });
}

/** Holds the webhook until the transaction ends: whoever is about to find that nothing is due waits, and finds it. */
async function makeDue(tx: Transaction, workspaceId: string, webhookId: string, now: string): Promise<void> {
  const it = sql`workspace_id = ${workspaceId} and id = ${webhookId}`;
  const { status } = await tx.one(
    sql<{ status: string }>`select status from webhooks where ${it}${forUpdate}`.orElse(() => notFound('Webhook')),
  );
  if (status === 'disabled') throw conflict('Webhook is disabled');
  await tx.run(sql`update webhooks set due_at = ${now} where ${it} and (due_at is null or due_at > ${now})`);
}
