import type { Role } from '@commonplace/contract/permissions';
import type { Registration, Setup, User, UserChanges } from '@commonplace/contract/users';
import { ACCOUNT_SCOPE, recordAudit } from '../audits/store.ts';
import type { Actor } from '../auth/callers.ts';
import { revokeCallers } from '../auth/revocations.ts';
import { hashSecret, newSecret } from '../auth/secrets.ts';
import { timestamp } from '../clock.ts';
import type { Queryable, Transactable, Transaction } from '../db/database.ts';
import { onDuplicate } from '../db/errors.ts';
import { newId } from '../db/ids.ts';
import { shape } from '../db/shape.ts';
import { forUpdate, type Sql, sql } from '../db/sql.ts';
import { conflict, notFound } from '../errors.ts';
import { addressBucket } from '../http/addresses.ts';
import { acceptInviteIn } from '../invites/store.ts';
import { recordAllEvents } from '../outbox/outbox.ts';

const columns = shape<User>({ id: 'text', email: 'text', name: 'text', role: 'text' });
const stored = columns.with<{ passwordHash: string | null; createdAt: string; updatedAt: string }>({
  passwordHash: 'text',
  createdAt: 'time',
  updatedAt: 'time',
});
const MOST_KNOWN_ADDRESSES = 20;
const KNOWN_MS = 90 * 24 * 60 * 60 * 1000;

/** Where a request came from, when nobody is signed in yet. */
export interface Origin {
  readonly address: string;
  readonly requestId: string;
}

export interface NewUser {
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string | null;
}

export async function findUser(db: Queryable, email: string): Promise<(User & { passwordHash: string | null }) | undefined> {
  return db.maybeOne(
    sql<User & { passwordHash: string | null }>`select ${columns}, password_hash as "passwordHash" from users where email = ${email}`,
  );
}

export async function requireUser(db: Queryable, userId: string): Promise<User> {
  const user = await db.maybeOne(sql<User>`select ${columns} from users where id = ${userId}`);
  if (!user) throw notFound('User');
  return user;
}

export async function findPasswordHash(db: Queryable, userId: string): Promise<string | null> {
  const row = await db.maybeOne(sql<{ hash: string | null }>`select password_hash as hash from users where id = ${userId}`);
  return row?.hash ?? null;
}

export async function hasUsers(db: Queryable): Promise<boolean> {
  return (await db.maybeOne(sql`select id from users limit 1`)) !== undefined;
}

/** The first account, who administers; a conflict when there is any account, whoever else tries at the same time. */
export async function createFirstUser(db: Transactable, origin: Origin, user: NewUser, nowMs: number): Promise<User> {
  return db.transaction(async (tx) => {
    // A row that is always there serves as the lock: no second first account can be counted out meanwhile.
    await tx.one(sql`select version from schema_migrations where version = ${1}${forUpdate}`);
    if (await hasUsers(tx)) throw conflict('There is an account already; sign in instead');
    return insertUser(tx, origin, user, 'admin', nowMs);
  });
}

export async function createUser(db: Transactable, origin: Origin, user: NewUser, role: User['role'], nowMs: number): Promise<User> {
  return withoutDuplicate(db.transaction((tx) => insertUser(tx, origin, user, role, nowMs)));
}

/** A new account that joins the workspace it was invited to, all or nothing. */
export async function registerInvited(db: Transactable, origin: Origin, user: NewUser, inviteToken: string, nowMs: number): Promise<User> {
  return withoutDuplicate(
    db.transaction(async (tx) => {
      const created = await insertUser(tx, origin, user, 'user', nowMs);
      await acceptInviteIn(tx, actorFor(created, origin), created.email, inviteToken, nowMs);
      return created;
    }),
  );
}

export async function updateUser(db: Queryable, by: Actor, userId: string, changes: UserChanges, nowMs: number): Promise<User> {
  const updated = db.batch([
    sql<User>`
      update users set ${stored.assignments({ ...changes, updatedAt: timestamp(nowMs) })} where id = ${userId} returning ${columns}`.orElse(
      () => notFound('User'),
    ),
    revokeCallers({ userId }),
    recordAudit(by, { workspaceId: ACCOUNT_SCOPE, action: 'user.update', resourceId: userId, detail: changes }, nowMs),
  ]);
  const [[user]] = await withoutDuplicate(updated);
  return user;
}

/** Ends every session of the user but the one at hand. */
export async function changePassword(
  db: Queryable,
  by: Actor,
  userId: string,
  passwordHash: string,
  keptSessionId: string | null,
  nowMs: number,
): Promise<void> {
  await db.batch([
    sql`update users set password_hash = ${passwordHash}, updated_at = ${timestamp(nowMs)} where id = ${userId}`.orElse(() =>
      notFound('User'),
    ),
    keptSessionId === null
      ? sql`delete from dashboard_sessions where user_id = ${userId}`
      : sql`delete from dashboard_sessions where user_id = ${userId} and id <> ${keptSessionId}`,
    sql`delete from known_addresses where user_id = ${userId}`,
    revokeCallers({ userId }),
    recordAudit(by, { workspaceId: ACCOUNT_SCOPE, action: 'user.change_password', resourceId: userId }, nowMs),
  ]);
}

/** Keys, memberships and sessions go along; refused while a workspace would lose its last owner. */
export async function deleteUser(db: Transactable, by: Actor, userId: string, nowMs: number): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.run(revokeCallers({ userId }));
    // The user's row holds off new memberships; the workspaces' rows, and not only of those owned, hold off new roles.
    await tx.one(sql`select id from users where id = ${userId}${forUpdate}`.orElse(() => notFound('User')));
    const joined = await tx.query(sql<{ id: string }>`
      select id from workspaces where id in (select workspace_id from memberships where user_id = ${userId}) order by id${forUpdate}`);
    const orphaned = await tx.query(sql`
      select workspace_id from memberships m where user_id = ${userId} and role = ${'owner' satisfies Role} and not exists (
        select 1 from memberships o where o.workspace_id = m.workspace_id and o.role = m.role and o.user_id <> m.user_id) limit 1`);
    if (orphaned.length > 0) throw conflict('You are the last owner of a workspace; delete it or make somebody else its owner first');
    await tx.one(sql`delete from users where id = ${userId} returning id`.orElse(() => notFound('User')));
    await tx.run(recordAudit(by, { workspaceId: ACCOUNT_SCOPE, action: 'user.delete', resourceId: userId }, nowMs));
    const left = joined.map(({ id }) => ({ workspaceId: id, type: 'member.removed', subjectId: userId }) as const);
    for (const statement of recordAllEvents(left, nowMs)) await tx.run(statement);
  });
}

export interface NewDashboardSession {
  readonly userId: string;
  readonly lifetimeMs: number;
  readonly address: string;
  readonly userAgent: string;
}

/** The token goes into the cookie; only its hash is kept. */
export async function createDashboardSession(
  db: Queryable,
  session: NewDashboardSession,
  nowMs: number,
  ...alongside: readonly Sql[]
): Promise<string> {
  const token = newSecret('session');
  await db.batch([
    sql`insert into dashboard_sessions (id, user_id, hash, address, user_agent, expires_at, created_at)
        values (${newId()}, ${session.userId}, ${hashSecret(token)}, ${session.address}, ${session.userAgent.slice(0, 300)},
          ${timestamp(nowMs + session.lifetimeMs)}, ${timestamp(nowMs)})`,
    ...rememberAddress(session.userId, session.address, nowMs),
    ...alongside,
  ]);
  return token;
}

/** For the audit log, with the session that signing in makes. */
export function recordSignIn(user: User, origin: Origin, nowMs: number): Sql {
  return recordAudit(actorFor(user, origin), { workspaceId: ACCOUNT_SCOPE, action: 'user.login', resourceId: user.id }, nowMs);
}

/** Who it was is not known: it is an entry of the account, and not of its holder. */
export async function recordFailedSignIns(db: Queryable, user: User, origin: Origin, attempts: number, nowMs: number): Promise<void> {
  const by: Actor = { ...actorFor(user, origin), type: 'system' };
  const detail = { email: user.email, attempts };
  await db.run(recordAudit(by, { workspaceId: ACCOUNT_SCOPE, action: 'user.login_failed', resourceId: user.id, detail }, nowMs));
}

function rememberAddress(userId: string, address: string, nowMs: number): Sql[] {
  return [
    sql`insert into known_addresses (user_id, address, signed_in_at) values (${userId}, ${addressBucket(address)}, ${timestamp(nowMs)})
        on conflict (user_id, address) do update set signed_in_at = excluded.signed_in_at`,
    sql`delete from known_addresses where user_id = ${userId} and address not in (
          select address from known_addresses where user_id = ${userId} order by signed_in_at desc, address limit ${MOST_KNOWN_ADDRESSES})`,
  ];
}

/** Whether whoever has this e-mail address signed in from there lately. */
export async function isKnownAddress(db: Queryable, email: string, bucket: string): Promise<boolean> {
  const found = await db.maybeOne(sql`
    select k.user_id from known_addresses k join users u on u.id = k.user_id where u.email = ${email} and k.address = ${bucket}`);
  return found !== undefined;
}

export async function dropOldKnownAddresses(db: Queryable, nowMs: number): Promise<number> {
  return db.run(sql`delete from known_addresses where signed_in_at <= ${timestamp(nowMs - KNOWN_MS)}`);
}

export async function deleteDashboardSession(db: Queryable, by: Actor, sessionId: string, nowMs: number): Promise<void> {
  await db.batch([
    sql`delete from dashboard_sessions where id = ${sessionId}`,
    revokeCallers({ credentialId: sessionId }),
    recordAudit(by, { workspaceId: ACCOUNT_SCOPE, action: 'user.logout', resourceId: by.id }, nowMs),
  ]);
}

export async function dropExpiredDashboardSessions(db: Queryable, nowMs: number): Promise<number> {
  return db.run(sql`delete from dashboard_sessions where expires_at <= ${timestamp(nowMs)}`);
}

export function newUserOf(registration: Setup | Registration, passwordHash: string | null): NewUser {
  return { email: registration.email, name: registration.name, passwordHash };
}

async function insertUser(tx: Transaction, origin: Origin, user: NewUser, role: User['role'], nowMs: number): Promise<User> {
  const now = timestamp(nowMs);
  const created: User = { id: newId(), email: user.email, name: user.name, role };
  await tx.run(stored.insertInto('users', [{ ...created, passwordHash: user.passwordHash, createdAt: now, updatedAt: now }]));
  const entry = { workspaceId: ACCOUNT_SCOPE, action: 'user.create', resourceId: created.id, detail: { email: created.email } } as const;
  await tx.run(recordAudit(actorFor(created, origin), entry, nowMs));
  return created;
}

function actorFor(user: User, origin: Origin): Actor {
  return { type: 'user', id: user.id, name: user.name, ...origin };
}

function withoutDuplicate<T>(write: Promise<T>): Promise<T> {
  return onDuplicate(write, 'users', 'email', () => conflict('This e-mail address has an account already'));
}
