import type { Member } from '@commonplace/contract/members';
import type { Role } from '@commonplace/contract/permissions';
import type { Page } from '@commonplace/contract/wire';
import { recordAudit } from '../audits/store.ts';
import type { Actor } from '../auth/callers.ts';
import { revokeCallers } from '../auth/revocations.ts';
import { timestamp } from '../clock.ts';
import type { Queryable, Transactable, Transaction } from '../db/database.ts';
import { newId } from '../db/ids.ts';
import { type Listed, listPage } from '../db/paging.ts';
import { shape } from '../db/shape.ts';
import { forUpdate, type Sql, sql } from '../db/sql.ts';
import { conflict, notFound } from '../errors.ts';
import { recordEvent } from '../outbox/outbox.ts';
import { requireMayTouch } from './rules.ts';

/** A member is a membership with the name and the address of its user. */
const membership = shape<Omit<Member, 'name' | 'email'>>({
  id: 'text',
  workspaceId: 'text',
  userId: 'text',
  role: 'text',
  createdAt: 'time',
  updatedAt: 'time',
});
const select = sql`select ${membership.of('m')}, u.name, u.email from memberships m join users u on u.id = m.user_id`;

export async function listMembers(db: Queryable, workspaceId: string, page: Page): Promise<Listed<Member>> {
  return listPage(db, page, {
    rows: sql<Member>`${select} where m.workspace_id = ${workspaceId}`,
    counted: sql`from memberships where workspace_id = ${workspaceId}`,
    key: 'm.id',
    keyKind: 'id',
    order: 'asc',
    keyOf: ({ id }) => id,
    longColumns: [],
  });
}

export async function findMember(db: Queryable, workspaceId: string, userId: string): Promise<Member | undefined> {
  return db.maybeOne(sql<Member>`${select} where m.workspace_id = ${workspaceId} and m.user_id = ${userId}`);
}

export async function changeMemberRole(
  db: Transactable,
  by: Actor,
  workspaceId: string,
  userId: string,
  role: Role,
  nowMs: number,
): Promise<Member> {
  return db.transaction(async (tx) => {
    // First, so that it counts also where the change was made before and is now refused.
    await tx.run(revokeCallers({ userId }));
    const { actorRole, target } = await heldMembers(tx, by, workspaceId, userId);
    requireMayTouch(actorRole, target.role, role);
    if (target.role === 'owner' && role !== 'owner') await requireAnotherOwner(tx, workspaceId, userId);
    await tx.run(sql`
      update memberships set ${membership.assignments({ role, updatedAt: timestamp(nowMs) })} where workspace_id = ${workspaceId} and user_id = ${userId}`);
    await tx.run(
      recordAudit(by, { workspaceId, action: 'member.update', resourceId: userId, detail: { from: target.role, to: role } }, nowMs),
    );
    const data = { previousRole: target.role };
    await tx.run(recordEvent({ workspaceId, type: 'member.updated', subjectId: userId, data }, nowMs));
    return { ...target, role, updatedAt: timestamp(nowMs) };
  });
}

export async function removeMember(db: Transactable, by: Actor, workspaceId: string, userId: string, nowMs: number): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.run(revokeCallers({ userId }));
    const { actorRole, target } = await heldMembers(tx, by, workspaceId, userId);
    if (by.id !== userId) requireMayTouch(actorRole, target.role);
    if (target.role === 'owner') await requireAnotherOwner(tx, workspaceId, userId);
    await tx.run(sql`delete from memberships where workspace_id = ${workspaceId} and user_id = ${userId}`);
    await tx.run(
      recordAudit(
        by,
        { workspaceId, action: 'member.remove', resourceId: userId, detail: { email: target.email, role: target.role } },
        nowMs,
      ),
    );
    await tx.run(recordEvent({ workspaceId, type: 'member.removed', subjectId: userId }, nowMs));
  });
}

/** The statement that makes somebody a member; the caller decides whether being one already is an error. */
export function membershipOf(workspaceId: string, userId: string, role: Role, nowMs: number): Sql {
  const now = timestamp(nowMs);
  return membership.insertInto('memberships', [{ id: newId(), workspaceId, userId, role, createdAt: now, updatedAt: now }]);
}

/** The workspace row is the lock: two owners who demote each other at once can't both succeed. */
async function heldMembers(tx: Transaction, by: Actor, workspaceId: string, userId: string): Promise<{ actorRole: Role; target: Member }> {
  await tx.one(sql`select id from workspaces where id = ${workspaceId}${forUpdate}`.orElse(() => notFound('Workspace')));
  const actor = await tx.one(
    sql<Member>`${select} where m.workspace_id = ${workspaceId} and m.user_id = ${by.id}`.orElse(() => notFound('Workspace')),
  );
  const target = await tx.one(
    sql<Member>`${select} where m.workspace_id = ${workspaceId} and m.user_id = ${userId}`.orElse(() => notFound('Member')),
  );
  return { actorRole: actor.role, target };
}

async function requireAnotherOwner(tx: Transaction, workspaceId: string, userId: string): Promise<void> {
  await tx.one(
    sql`select user_id from memberships where workspace_id = ${workspaceId} and role = ${'owner'} and user_id <> ${userId} limit 1`.orElse(
      () => conflict('The last owner of a workspace can be neither removed nor demoted'),
    ),
  );
}
