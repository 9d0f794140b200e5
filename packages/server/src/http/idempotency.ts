/** `Idempotency-Key`: the key is claimed, the work done and its answer kept in one transaction. */
import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { timestamp } from '../clock.ts';
import type { Database, Transactable, Transaction } from '../db/database.ts';
import { acrossWorkspaces, inWorkspace } from '../db/each-workspace.ts';
import { NO_WORKSPACE_ID } from '../db/ids.ts';
import { invalidate } from '../db/invalidation.ts';
import { insideTransaction } from '../db/nested.ts';
import { json, rows, type Sql, sql } from '../db/sql.ts';
import { AppError, conflict } from '../errors.ts';
import type { Log } from '../logging.ts';
import type { Upload } from './upload.ts';

const KEPT_MS = 24 * 60 * 60 * 1000;

export interface IdempotencyClaim {
  /** Where the key is kept, beside what is made there; a nil id outside of a workspace. */
  readonly workspaceId: string;
  readonly scope: string;
  readonly key: string;
  readonly fingerprint: string;
}

export interface KeptAnswer {
  readonly status: number;
  readonly payload: string;
}

/** What a request made, named in place of an answer that carried a secret. */
export interface Made {
  readonly resource: string;
  readonly id: string;
}

interface Result {
  readonly answer: KeptAnswer;
  readonly made: Made | undefined;
  /** The sessions that the answer tells of: it goes with them. */
  readonly sessionIds: readonly string[];
}

interface KeptRow {
  fingerprint: string;
  status: number;
  answer: string | null;
  made: string | null;
}

/** Who asks, which key, and what for; undefined when the request has no key. */
export function readClaim(request: FastifyRequest, scope: string, upload?: Upload): IdempotencyClaim | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new AppError('bad_request', 'Idempotency-Key must be 1 to 255 printable ASCII characters without spaces');
  }
  const sent = upload ? [...upload.fields, upload.file?.filename, hash('sha256', upload.file?.bytes ?? '', 'hex')] : request.body;
  const { workspaceId = NO_WORKSPACE_ID } = request.params as { workspaceId?: string };
  return { workspaceId, scope, key, fingerprint: hash('sha256', `${request.method} ${request.url}\n${JSON.stringify(sent) ?? ''}`, 'hex') };
}

/** Another request holds the key: its transaction is over, so its answer can be read. */
class AlreadyClaimed extends Error {}

/** Does the work once for each key. A failure keeps nothing, so that the same key can be tried again. */
export async function once(
  db: Database,
  claim: IdempotencyClaim,
  nowMs: number,
  work: (db: Transactable) => Promise<Result>,
  /** Before the work and outside of its transaction; not for what was done already. */
  admit?: () => Promise<void>,
): Promise<KeptAnswer & { replayed: boolean }> {
  const earlier = await findKept(db, claim, nowMs);
  if (earlier) return replay(db, earlier, claim);
  await admit?.();
  try {
    const answer = await db.transaction(async (tx) => {
      if (!(await claimKey(tx, claim, nowMs, db.isDistributed))) throw new AlreadyClaimed();
      const result = await work(insideTransaction(tx));
      await keep(tx, claim, result, nowMs);
      return result.answer;
    });
    return { ...answer, replayed: false };
  } catch (error) {
    if (!(error instanceof AlreadyClaimed)) throw error;
    const kept = await findClaimant(db, claim, nowMs);
    if (!kept)
      throw new AppError('unavailable', 'Another request with this Idempotency-Key was under way. Try again.', { retryAfterSeconds: 1 });
    return replay(db, kept, claim);
  }
}

export async function dropExpiredKeys(db: Database, nowMs: number, log: Log, signal: AbortSignal): Promise<void> {
  const now = timestamp(nowMs);
  const drop = async (workspaceId?: string) => {
    await db.run(sql`delete from idempotency_keys where ${inWorkspace(workspaceId)} and expires_at <= ${now}`);
    await db.run(sql`delete from answers_of_sessions where ${inWorkspace(workspaceId)} and expires_at <= ${now}`);
  };
  const condition = `q.expires_at <= '${now}'`;
  await acrossWorkspaces(
    db,
    [
      { table: 'idempotency_keys', condition },
      { table: 'answers_of_sessions', condition },
    ],
    drop,
    log,
    signal,
  );
}

async function findKept(db: Database, claim: IdempotencyClaim, nowMs: number): Promise<KeptRow | undefined> {
  return db.maybeOne(sql<KeptRow>`
    select fingerprint, status, answer, made from idempotency_keys
    where ${isKey(claim)} and expires_at > ${timestamp(nowMs)}`);
}

/** Wherever it is: an earlier version named no workspace, and only on Citus is a key one of its workspace alone. */
async function findClaimant(db: Database, claim: IdempotencyClaim, nowMs: number): Promise<KeptRow | undefined> {
  if (db.isDistributed) return findKept(db, claim, nowMs);
  const [own] = await db.query(sql<KeptRow>`
    select fingerprint, status, answer, made from idempotency_keys
    where scope = ${claim.scope} and key = ${claim.key} and expires_at > ${timestamp(nowMs)}
    order by case when workspace_id = ${claim.workspaceId} then 0 else 1 end limit 1`);
  return own;
}

function isKey({ workspaceId, scope, key }: IdempotencyClaim): Sql {
  return sql`workspace_id = ${workspaceId} and scope = ${scope} and key = ${key}`;
}

async function claimKey(tx: Transaction, claim: IdempotencyClaim, nowMs: number, isDistributed: boolean): Promise<boolean> {
  const now = timestamp(nowMs);
  // Only on Citus is a key one of its workspace alone: elsewhere one that ran out in another place would stand in the way.
  const isTaken = isDistributed ? isKey(claim) : sql`scope = ${claim.scope} and key = ${claim.key}`;
  const [, claimed] = await tx.batch([
    sql`delete from idempotency_keys where ${isTaken} and expires_at <= ${now}`,
    // Which columns the primary key has differs on Citus: none are named.
    sql`
      insert into idempotency_keys (workspace_id, scope, key, fingerprint, status, answer, made, created_at, expires_at)
      values (${claim.workspaceId}, ${claim.scope}, ${claim.key}, ${claim.fingerprint}, ${0}, ${null}, ${null}, ${now}, ${timestamp(nowMs + KEPT_MS)})
      on conflict do nothing
      returning key`,
  ]);
  return claimed.length > 0;
}

async function keep(tx: Transaction, claim: IdempotencyClaim, { answer, made, sessionIds }: Result, nowMs: number): Promise<void> {
  const { workspaceId, scope, key } = claim;
  const expiresAt = timestamp(nowMs + KEPT_MS);
  await tx.run(sql`
    update idempotency_keys
    set status = ${answer.status}, answer = ${made ? null : answer.payload}, made = ${made ? json(made) : null}
    where ${isKey(claim)}`);
  if (sessionIds.length === 0) return;
  await tx.run(sql`
    insert into answers_of_sessions (workspace_id, session_id, scope, key, expires_at)
    values ${rows([...new Set(sessionIds)].map((sessionId) => [workspaceId, sessionId, scope, key, expiresAt]))}
    on conflict (workspace_id, session_id, scope, key) do update set expires_at = excluded.expires_at`);
}

/**
 * What took something away may have been answered with a failure, because a node could not be told. A replay is answered when every
 * node has heard of what was committed before it.
 */
async function replay(db: Database, kept: KeptRow, claim: IdempotencyClaim): Promise<KeptAnswer & { replayed: true }> {
  if (kept.fingerprint !== claim.fingerprint) {
    throw conflict('This Idempotency-Key was used for another request');
  }
  if (kept.made !== null) {
    const made = JSON.parse(kept.made) as Made;
    throw conflict(`This request was carried out already and made ${made.resource} ${made.id}; its secret was shown once and is not kept`);
  }
  await db.batch([invalidate('replays', '')]);
  return { status: kept.status, payload: kept.answer ?? '', replayed: true };
}
