import type { CreatedInvite, Invite, InviteStatus, NewInvite } from '@commonplace/contract/invites';
import type { Role } from '@commonplace/contract/permissions';
import type { Page } from '@commonplace/contract/wire';
import { recordAudit } from '../audits/store.ts';
import type { Actor } from '../auth/callers.ts';
import { hashSecret, newSecret } from '../auth/secrets.ts';
import { timestamp } from '../clock.ts';
import type { Queryable, Transactable, Transaction } from '../db/database.ts';
import { onDuplicate } from '../db/errors.ts';
import { newId } from '../db/ids.ts';
import { type Listed, listPage } from '../db/paging.ts';
import { shape } from '../db/shape.ts';
import { forUpdate, type Sql, sql } from '../db/sql.ts';
import { conflict, forbidden, notFound } from '../errors.ts';
import { membershipOf } from '../members/store.ts';
import { recordEvent, recordEvents } from '../outbox/outbox.ts';
import { lockWorkspace } from '../workspaces/store.ts';

const VALID_MS = 7 * 24 * 60 * 60 * 1000;

const columns = shape<Omit<Invite, 'workspaceName' | 'status'>>({
  id: 'text',
  workspaceId: 'text',
  email: 'text',
  role: 'text',
  invitedBy: 'text',
  expiresAt: 'time',
  createdAt: 'time',
  updatedAt: 'time',
});
const stored = columns.with<{ status: InviteStatus; tokenHash: string }>({ status: 'text', tokenHash: 'text' });

/** A pending invite whose time is over reads as expired, whether or not a row says so yet. */
function select(nowMs: number): Sql {
  return sql`
    select ${columns.of('i')}, w.name as "workspaceName",
      case when i.status = 'pending' and i.expires_at <= ${timestamp(nowMs)} then 'expired' else i.status end as status
    from invites i join workspaces w on w.id = i.workspace_id`;
}

export async function createInvite(
  db: Transactable,
  by: Actor,
  workspaceId: string,
  invite: NewInvite,
  nowMs: number,
): Promise<CreatedInvite> {
  const now = timestamp(nowMs);
  const id = newId();
  const token = newSecret('invite');
  const created = db.transaction(async (tx) => {
    await tx.one(lockWorkspace(workspaceId));
    const actor = await tx.one(
      sql<{ role: Role }>`select role from memberships where workspace_id = ${workspaceId} and user_id = ${by.id}`.orElse(() =>
        notFound('Workspace'),
      ),
    );
    if (invite.role === 'owner' && actor.role !== 'owner') throw forbidden('Only an owner may make somebody an owner');
    const member = await tx.maybeOne(sql`
      select m.user_id from memberships m join users u on u.id = m.user_id where m.workspace_id = ${workspaceId} and u.email = ${invite.email}`);
    if (member) throw conflict('This e-mail address belongs to a member already');
    await tx.run(sql`
      update invites set status = 'expired', updated_at = ${now}
      where workspace_id = ${workspaceId} and email = ${invite.email} and status = 'pending' and expires_at <= ${now}`);
    await tx.run(
      stored.insertInto('invites', [
        {
          id,
          workspaceId,
          email: invite.email,
          role: invite.role,
          status: 'pending',
          tokenHash: hashSecret(token),
          invitedBy: by.id,
          expiresAt: timestamp(nowMs + VALID_MS),
          createdAt: now,
          updatedAt: now,
        },
      ]),
    );
    await tx.run(
      recordAudit(by, { workspaceId, action: 'invite.create', resourceId: id, detail: { email: invite.email, role: invite.role } }, nowMs),
    );
    await tx.run(recordEvent({ workspaceId, type: 'invite.created', subjectId: id }, nowMs));
    return tx.one(sql<Invite>`${select(nowMs)} where i.workspace_id = ${workspaceId} and i.id = ${id}`);
  });
  return { ...(await onDuplicate(created, 'invites', 'email', () => conflict('This e-mail address has a pending invite already'))), token };
}

export async function listInvites(db: Queryable, workspaceId: string, page: Page, nowMs: number): Promise<Listed<Invite>> {
  return invitePage(db, page, sql`i.workspace_id = ${workspaceId}`, nowMs);
}

export async function requireInvite(db: Queryable, workspaceId: string, inviteId: string, nowMs: number): Promise<Invite> {
  const invite = await db.maybeOne(sql<Invite>`${select(nowMs)} where i.workspace_id = ${workspaceId} and i.id = ${inviteId}`);
  if (!invite) throw notFound('Invite');
  return invite;
}

export async function deleteInvite(db: Queryable, by: Actor, workspaceId: string, inviteId: string, nowMs: number): Promise<void> {
  await db.batch([
    sql`delete from invites where workspace_id = ${workspaceId} and id = ${inviteId}`.orElse(() => notFound('Invite')),
    recordAudit(by, { workspaceId, action: 'invite.delete', resourceId: inviteId }, nowMs),
    recordEvent({ workspaceId, type: 'invite.deleted', subjectId: inviteId }, nowMs),
  ]);
}

/** What waits for an answer from whoever has this e-mail address. */
export async function listPendingInvites(db: Queryable, email: string, page: Page, nowMs: number): Promise<Listed<Invite>> {
  const pending = sql`i.email = ${email} and i.status = 'pending' and i.expires_at > ${timestamp(nowMs)}`;
  return invitePage(db, page, pending, nowMs);
}

function invitePage(db: Queryable, page: Page, condition: Sql, nowMs: number): Promise<Listed<Invite>> {
  return listPage(db, page, {
    rows: sql<Invite>`${select(nowMs)} where ${condition}`,
    counted: sql`from invites i where ${condition}`,
    key: 'i.id',
    keyKind: 'id',
    order: 'desc',
    keyOf: ({ id }) => id,
    longColumns: [],
  });
}

/** By its token alone: addresses are not proven, so an e-mail address that fits is no proof of being invited. */
export async function acceptInvite(db: Transactable, by: Actor, email: string, token: string, nowMs: number): Promise<Invite> {
  const accepted = db.transaction((tx) => acceptInviteIn(tx, by, email, token, nowMs));
  return onDuplicate(accepted, 'memberships', 'user_id', () => conflict('You are a member of this workspace already'));
}

export async function acceptInviteIn(tx: Transaction, by: Actor, email: string, token: string, nowMs: number): Promise<Invite> {
  const invite = await heldInvite(tx, email, token, nowMs);
  await tx.run(membershipOf(invite.workspaceId, by.id, invite.role, nowMs));
  return answered(tx, by, invite, 'accepted', nowMs);
}

export async function rejectInvite(db: Transactable, by: Actor, email: string, token: string, nowMs: number): Promise<Invite> {
  return db.transaction(async (tx) => answered(tx, by, await heldInvite(tx, email, token, nowMs), 'rejected', nowMs));
}

async function heldInvite(tx: Transaction, email: string, token: string, nowMs: number): Promise<Invite> {
  return requireFor(email, await tx.maybeOne(sql<Invite>`${select(nowMs)} where i.token_hash = ${hashSecret(token)}${forUpdate}`));
}

/** A look ahead: by the time that it is accepted, somebody else may have answered or withdrawn it. */
export async function requirePendingInvite(db: Queryable, email: string, token: string, nowMs: number): Promise<Invite> {
  return requireFor(email, await db.maybeOne(sql<Invite>`${select(nowMs)} where i.token_hash = ${hashSecret(token)}`));
}

function requireFor(email: string, invite: Invite | undefined): Invite {
  if (!invite) throw notFound('Invite');
  if (invite.email !== email) throw forbidden('This invite is for another e-mail address');
  if (invite.status !== 'pending') throw conflict(`This invite is ${invite.status}`);
  return invite;
}

async function answered(tx: Transaction, by: Actor, invite: Invite, status: 'accepted' | 'rejected', nowMs: number): Promise<Invite> {
  await tx.run(sql`
    update invites set ${stored.assignments({ status, updatedAt: timestamp(nowMs) })} where workspace_id = ${invite.workspaceId} and id = ${invite.id}`);
  const verb = status === 'accepted' ? 'accept' : 'reject';
  await tx.run(
    recordAudit(
      by,
      { workspaceId: invite.workspaceId, action: `invite.${verb}`, resourceId: invite.id, detail: { role: invite.role } },
      nowMs,
    ),
  );
  const { workspaceId, id } = invite;
  const joined = status === 'accepted' ? [{ workspaceId, type: 'member.added', subjectId: by.id } as const] : [];
  await tx.run(recordEvents([{ workspaceId, type: `invite.${status}`, subjectId: id }, ...joined], nowMs));
  return { ...invite, status, updatedAt: timestamp(nowMs) };
}
