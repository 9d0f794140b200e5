/** The queue that webhooks are sent from: who sends for which webhook, what is next in each line, and what became of it. */
import type { DeliveryAttempt } from '@commonplace/contract/webhooks';
import { recordAudit } from '../audits/store.ts';
import type { Actor } from '../auth/callers.ts';
import { timestamp } from '../clock.ts';
import type { Database, Queryable, Transaction } from '../db/database.ts';
import { newId } from '../db/ids.ts';
import { forUpdate, list, nothing, perEngine, type Sql, sql } from '../db/sql.ts';
import { idOfEvent, lastSeqOf, lastSeqs } from '../events/store.ts';
import { recordEvent } from '../outbox/outbox.ts';
import { type QueuedDelivery, queuedColumns, wasAskedFor } from './delivery-store.ts';
import { readNext } from './event-log.ts';
import { type StoredWebhook, storedColumns } from './store.ts';

const MOST_ATTEMPTS_KEPT = 20;
/** Of one page; each is a row. */
const EVENTS_AT_ONCE = 100;
/** Of the webhooks that are due: more than one workspace has. */
const LOOKED_AT = 200;

const skipLocked = perEngine({ sqlite: '', postgres: ' for update skip locked' });

/** The lease of a webhook ran out, or it is gone: somebody else sends for it, or nobody. */
export class LeaseLost extends Error {}

export interface Lease {
  readonly workspaceId: string;
  readonly webhookId: string;
  /** A new id for each lease. */
  readonly owner: string;
}

export interface Claim {
  readonly limit: number;
  /** Of one workspace, with those that it has already. */
  readonly limitOfWorkspace: number;
  readonly heldOf: ReadonlyMap<string, number>;
  readonly leaseMs: number;
  readonly nowMs: number;
}

export interface ClaimedWebhook {
  readonly lease: Lease;
  readonly webhook: StoredWebhook;
}

/** Webhooks that something is due for and that nobody sends for, longest due first. */
export async function claimWebhooks(db: Database, claim: Claim): Promise<ClaimedWebhook[]> {
  const { limit, limitOfWorkspace, leaseMs, nowMs } = claim;
  const now = timestamp(nowMs);
  const heldOf = new Map(claim.heldOf);
  const except = [...heldOf].filter(([, held]) => held >= limitOfWorkspace).map(([workspaceId]) => workspaceId);
  const isFree = sql`due_at <= ${now} and (lease_until is null or lease_until <= ${now})
    ${except.length === 0 ? nothing : sql`and workspace_id not in ${list(except)}`}`;
  // Most often there is nothing, and nobody has to be kept from writing to learn that.
  const due = await db.query(sql<{ workspaceId: string; id: string }>`
    select workspace_id as "workspaceId", id from webhooks where ${isFree} order by due_at limit ${LOOKED_AT}`);
  const claimed: ClaimedWebhook[] = [];
  for (const { workspaceId, id } of due) {
    const held = heldOf.get(workspaceId) ?? 0;
    if (claimed.length === limit || held >= limitOfWorkspace) continue;
    const owner = newId();
    const [webhook] = await db.query(sql<StoredWebhook>`
      update webhooks set lease_owner = ${owner}, lease_until = ${timestamp(nowMs + leaseMs)}
      where workspace_id = ${workspaceId} and id in (
        select id from webhooks where workspace_id = ${workspaceId} and id = ${id} and ${isFree}${skipLocked})
      returning ${storedColumns}`);
    if (!webhook) continue;
    claimed.push({ lease: { workspaceId, webhookId: id, owner }, webhook });
    heldOf.set(workspaceId, held + 1);
  }
  return claimed;
}

const leased = ({ workspaceId, webhookId, owner }: Lease) =>
  sql`workspace_id = ${workspaceId} and id = ${webhookId} and lease_owner = ${owner}`;

/** Those that are still held. */
export async function extendLeases(db: Queryable, leases: readonly Lease[], leaseMs: number, nowMs: number): Promise<Set<string>> {
  const answers = await db.batch(
    leases.map(
      (lease) => sql<{ owner: string }>`
        update webhooks set lease_until = ${timestamp(nowMs + leaseMs)} where ${leased(lease)} returning lease_owner as owner`,
    ),
  );
  return new Set(answers.flat().map(({ owner }) => owner));
}

/** Those of a process that is no more: the embedded engine has one, and it is this. */
export async function endAllLeases(db: Queryable): Promise<void> {
  await db.run(sql`update webhooks set lease_owner = null, lease_until = null where lease_until is not null`);
}

/** The first statement of whatever a sender writes: it holds the lease to the end, or nothing is written. */
const holdLease = (lease: Lease) => sql`select id from webhooks where ${leased(lease)}${forUpdate}`.orElse(() => new LeaseLost());

/**
 * Makes deliveries of the next events, and moves on past them, in one step. Where one of its line is pending, a new one waits for it.
 * True where there may be more.
 */
export async function makeDeliveries(
  db: Database,
  lease: Lease,
  { types, afterSeq }: { readonly types: readonly string[]; readonly afterSeq: number },
  nowMs: number,
): Promise<{ readonly reachedSeq: number; readonly made: number }> {
  const { workspaceId, webhookId } = lease;
  const { events, reachedSeq } = await readNext(db, workspaceId, afterSeq, types, EVENTS_AT_ONCE);
  if (reachedSeq === afterSeq) return { reachedSeq, made: 0 };
  const now = timestamp(nowMs);
  // What is changed about a webhook is told to others.
  const told = events.filter(({ subjectId }) => subjectId !== webhookId);
  const ordered = told.map((event) => ({ ...event, line: event.sessionId ?? event.subjectId }));
  await db.transaction(async (tx) => {
    await tx.one(holdLease(lease));
    const busy = await busyLines(tx, lease, [...new Set(ordered.map(({ line }) => line))]);
    const deliveries = ordered.map(({ seq, type, line, sessionId, createdAt }): QueuedDelivery => {
      const waits = busy.has(line);
      busy.add(line);
      return {
        id: newId(),
        workspaceId,
        webhookId,
        eventId: idOfEvent(workspaceId, { seq, createdAt }),
        type,
        seq,
        line,
        sessionId,
        status: 'pending',
        tries: 0,
        attempts: [],
        dueAt: waits ? null : now,
        createdAt: now,
        updatedAt: now,
      };
    });
    await tx.batch([
      sql`update webhooks set after_seq = ${reachedSeq} where ${leased(lease)} and after_seq = ${afterSeq}`.orElse(() => new LeaseLost()),
      ...(deliveries.length === 0 ? [] : [queuedColumns.insertInto('webhook_deliveries', deliveries)]),
    ]);
  });
  return { reachedSeq, made: told.length };
}

async function busyLines(tx: Transaction, { workspaceId, webhookId }: Lease, lines: readonly string[]): Promise<Set<string>> {
  if (lines.length === 0) return new Set();
  const busy = await tx.query(sql<{ line: string }>`
    select distinct line from webhook_deliveries
    where workspace_id = ${workspaceId} and webhook_id = ${webhookId} and status = 'pending' and line in ${list(lines)}`);
  return new Set(busy.map(({ line }) => line));
}

/** The first of each line that is due, longest due first. */
export function readDue(db: Queryable, { workspaceId, webhookId }: Lease, limit: number, nowMs: number): Promise<QueuedDelivery[]> {
  return db.query(sql<QueuedDelivery>`
    select ${queuedColumns} from webhook_deliveries
    where workspace_id = ${workspaceId} and webhook_id = ${webhookId} and due_at <= ${timestamp(nowMs)} order by due_at, seq limit ${limit}`);
}

const place = ({ workspaceId, webhookId, id }: QueuedDelivery) =>
  sql`workspace_id = ${workspaceId} and webhook_id = ${webhookId} and id = ${id}`;

function promoteNext({ workspaceId, webhookId, line }: QueuedDelivery, now: string): Sql<QueuedDelivery> {
  const waiting = sql`workspace_id = ${workspaceId} and webhook_id = ${webhookId} and line = ${line} and status = 'pending'`;
  return sql<QueuedDelivery>`
    update webhook_deliveries set due_at = ${now} where ${waiting} and due_at is null and seq = (
      select min(seq) from webhook_deliveries where ${waiting}) returning ${queuedColumns}`;
}

const withAttempt = ({ attempts }: QueuedDelivery, attempt: DeliveryAttempt) =>
  JSON.stringify([...attempts, attempt].slice(-MOST_ATTEMPTS_KEPT));

/** It was taken: the next of its line has its turn, and is returned. */
export async function settleDelivered(
  db: Queryable,
  lease: Lease,
  delivery: QueuedDelivery,
  attempt: DeliveryAttempt,
  notesSuccess: boolean,
  nowMs: number,
): Promise<QueuedDelivery | undefined> {
  const now = timestamp(nowMs);
  const [, , , [next]] = await db.batch([
    holdLease(lease),
    sql`update webhook_deliveries set status = 'delivered', due_at = null, attempts = ${withAttempt(delivery, attempt)}, updated_at = ${now}
      where ${place(delivery)} and status = 'pending'`,
    notesSuccess ? sql`update webhooks set last_success_at = ${now}, failing_since = null where ${leased(lease)}` : sql`select 1 as one`,
    promoteNext(delivery, now),
  ]);
  return next;
}

/** It failed, and is tried again later; those after it wait. */
export async function settleFailed(
  db: Queryable,
  lease: Lease,
  delivery: QueuedDelivery,
  attempt: DeliveryAttempt,
  delayMs: number,
  nowMs: number,
): Promise<void> {
  const now = timestamp(nowMs);
  await db.batch([
    holdLease(lease),
    sql`update webhook_deliveries set tries = tries + 1, due_at = ${timestamp(nowMs + delayMs)}, attempts = ${withAttempt(delivery, attempt)},
      updated_at = ${now} where ${place(delivery)} and status = 'pending'`,
    sql`update webhooks set failing_since = ${now} where ${leased(lease)} and failing_since is null`,
  ]);
}

const SENDER: Actor = { type: 'system', id: 'webhooks', name: 'Webhooks', address: 'local', requestId: 'delivery' };

/** It failed for the last time: it is given up, and the webhook is switched off, unless somebody asked for just this one: then false. */
export async function giveUp(
  db: Queryable,
  lease: Lease,
  delivery: QueuedDelivery,
  attempt: DeliveryAttempt,
  nowMs: number,
): Promise<boolean> {
  const now = timestamp(nowMs);
  const tries = delivery.tries + 1;
  const isAlone = wasAskedFor(delivery);
  await db.batch([
    holdLease(lease),
    sql`update webhook_deliveries set status = 'failed', due_at = null, tries = ${tries}, attempts = ${withAttempt(delivery, attempt)},
      updated_at = ${now} where ${place(delivery)} and status = 'pending'`,
    promoteNext(delivery, now),
    ...(isAlone ? [] : switchOff(lease, delivery, `A delivery failed ${tries} times. ${attempt.error ?? ''}`, nowMs)),
  ]);
  return !isAlone;
}

function switchOff(lease: Lease, { id: deliveryId, eventId }: QueuedDelivery, reason: string, nowMs: number): Sql[] {
  const { workspaceId, webhookId } = lease;
  const now = timestamp(nowMs);
  const detail = { reason, deliveryId, eventId };
  return [
    sql`update webhooks set status = 'disabled', disabled_reason = ${reason}, due_at = null, updated_at = ${now} where ${leased(lease)}`,
    recordAudit(SENDER, { workspaceId, action: 'webhook.disable', resourceId: webhookId, detail }, nowMs),
    recordEvent({ workspaceId, type: 'webhook.disabled', subjectId: webhookId }, nowMs),
  ];
}

/** Its event is gone, deleted or forgotten or too old: there is nothing to send, and the next has its turn. */
export async function dropDelivery(
  db: Queryable,
  lease: Lease,
  delivery: QueuedDelivery,
  nowMs: number,
): Promise<QueuedDelivery | undefined> {
  const [, , [next]] = await db.batch([
    holdLease(lease),
    sql`delete from webhook_deliveries where ${place(delivery)}`,
    promoteNext(delivery, timestamp(nowMs)),
  ]);
  return next;
}

/** Lets go of a webhook until something is due. Whoever makes something due waits for it, or comes before it and is seen. */
export async function releaseLease(db: Database, lease: Lease, nowMs: number): Promise<void> {
  const { workspaceId, webhookId } = lease;
  await db.transaction(async (tx) => {
    const [held] = await tx.query(sql<{ status: string; afterSeq: number }>`
      select status, after_seq as "afterSeq" from webhooks where ${leased(lease)}${forUpdate}`);
    if (!held) return;
    const [first] = await tx.query(sql<{ dueAt: string }>`
      select due_at as "dueAt" from webhook_deliveries where workspace_id = ${workspaceId} and webhook_id = ${webhookId} and due_at is not null
      order by due_at limit 1`);
    const hasMore = (await lastSeqOf(tx, workspaceId)) > held.afterSeq;
    const dueAt = held.status === 'disabled' ? null : hasMore ? timestamp(nowMs) : (first?.dueAt ?? null);
    await tx.run(sql`update webhooks set lease_owner = null, lease_until = null, due_at = ${dueAt} where ${leased(lease)}`);
  });
  // An event that was published between looking and letting go.
  await wakeWebhooks(db, [workspaceId], nowMs);
}

/** Webhooks of these workspaces that have events to look at are due. Called after the events are committed. */
export async function wakeWebhooks(db: Queryable, workspaceIds: readonly string[], nowMs: number): Promise<number> {
  const sleeping = await db.query(sql<{ workspaceId: string; id: string; afterSeq: number }>`
    select workspace_id as "workspaceId", id, after_seq as "afterSeq" from webhooks
    where workspace_id in ${list(workspaceIds)} and status = 'active' and (due_at is null or due_at > ${timestamp(nowMs)})`);
  if (sleeping.length === 0) return 0;
  const headOf = await lastSeqs(db, [...new Set(sleeping.map(({ workspaceId }) => workspaceId))]);
  const behind = sleeping.filter(({ workspaceId, afterSeq }) => (headOf.get(workspaceId) ?? 0) > afterSeq);
  for (const { workspaceId, id } of behind) {
    await db.run(sql`
      update webhooks set due_at = ${timestamp(nowMs)}
      where workspace_id = ${workspaceId} and id = ${id} and status = 'active' and (due_at is null or due_at > ${timestamp(nowMs)})`);
  }
  return behind.length;
}

/** Whether anybody wants to be told of events. */
export async function anyActive(db: Queryable): Promise<boolean> {
  const [one] = await db.query(sql`select 1 as one from webhooks where status = 'active' limit 1`);
  return one !== undefined;
}
