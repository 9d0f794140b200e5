import { AuthStatus, Login, Me, PasswordChange, Registration, Setup, SignedIn, type User, UserChanges } from '@commonplace/contract/users';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { requireAccessKey } from '../access-keys/store.ts';
import { requireApiKey } from '../api-keys/store.ts';
import { anyone, users, usersAndKeys } from '../auth/access.ts';
import { type Caller, COOKIE_NAME } from '../auth/callers.ts';
import { hashPassword, isCommonPassword, verifyPassword } from '../auth/passwords.ts';
import type { Context } from '../context.ts';
import type { Queryable } from '../db/database.ts';
import type { Sql } from '../db/sql.ts';
import { AppError, conflict, forbidden, invalid } from '../errors.ts';
import { addressBucket } from '../http/addresses.ts';
import type { Api } from '../http/api.ts';
import { clearCookie, setCookie } from '../http/cookies.ts';
import { requirePendingInvite } from '../invites/store.ts';
import {
  changePassword,
  createDashboardSession,
  createFirstUser,
  createUser,
  deleteDashboardSession,
  deleteUser,
  findPasswordHash,
  findUser,
  hasUsers,
  isKnownAddress,
  newUserOf,
  type Origin,
  recordSignIn,
  registerInvited,
  requireUser,
  updateUser,
} from './store.ts';
import { SignInThrottle } from './throttle.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const SESSION_MS = 7 * DAY_MS;
const REMEMBERED_SESSION_MS = 30 * DAY_MS;

/** Accounts: signing in for the dashboard under /auth, and the caller's own under /me. */
export function userRoutes(api: Api, context: Context): void {
  api.tag('Me', 'The account that calls.');
  api.tag('Signing in', 'Accounts and sessions of the dashboard.');
  signingIn(api, context);
  ownAccount(api);
}

function signingIn(api: Api, { config, db: root, clock, failedSignIns }: Context): void {
  const throttle = new SignInThrottle(clock);
  const signIn = async (
    { db, request, reply, nowMs }: { db: Queryable; request: FastifyRequest; reply: FastifyReply; nowMs: number },
    user: User,
    lifetimeMs: number,
    ...alongside: Sql[]
  ) => {
    const session = { userId: user.id, lifetimeMs, address: request.ip, userAgent: request.headers['user-agent'] ?? '' };
    const token = await createDashboardSession(db, session, nowMs, ...alongside);
    setCookie(reply, COOKIE_NAME, token, { ...cookieOptions(config.publicUrl), maxAge: lifetimeMs / 1000 });
    return { user };
  };
  const made = ({ user }: { user: User }) => ({ resource: 'a session of user', id: user.id });

  api.route({
    method: 'GET',
    path: '/auth/status',
    name: 'getAuthStatus',
    tag: 'Signing in',
    summary: 'Whether the service has an account yet, and who may make one',
    access: anyone,
    answers: { status: 200, body: AuthStatus },
    handle: async ({ db }) => ({ needsSetup: !(await hasUsers(db)), registration: config.registration }),
  });
  api.route({
    method: 'POST',
    path: '/auth/setup',
    name: 'setUp',
    tag: 'Signing in',
    summary: 'Make the first account',
    description: 'Only while there is no account at all. Sets the session’s cookie.',
    access: anyone,
    body: Setup,
    stores: 'nothing',
    answers: { status: 201, body: SignedIn },
    made,
    prepare: async ({ body, request }) => {
      throttle.requireMayRegister(addressBucket(request.ip));
      requireUncommon('password', body.password);
      if (await hasUsers(root)) throw conflict('There is an account already; sign in instead');
      return hashPassword(body.password);
    },
    handle: async (call) => {
      const { db, body, prepared, request, nowMs } = call;
      const user = await createFirstUser(db, originOf(request), newUserOf(body, prepared), nowMs);
      return signIn(call, user, SESSION_MS);
    },
  });
  api.route({
    method: 'POST',
    path: '/auth/register',
    name: 'register',
    tag: 'Signing in',
    summary: 'Make an account',
    description:
      'Where registration is by invite, `inviteToken` is needed; with it the account joins the workspace at once. Sets the session’s cookie.',
    access: anyone,
    body: Registration,
    stores: 'nothing',
    answers: { status: 201, body: SignedIn },
    fails: [403, 404],
    made,
    prepare: async ({ body, request, nowMs }) => {
      throttle.requireMayRegister(addressBucket(request.ip));
      if (config.registration === 'invite' && !body.inviteToken) throw forbidden('Registration is by invite; an invite token is needed');
      requireUncommon('password', body.password);
      // Before the slow part, so that nobody has passwords hashed by inventing tokens; the transaction has the last word.
      if (body.inviteToken) await requirePendingInvite(root, body.email, body.inviteToken, nowMs);
      return hashPassword(body.password);
    },
    handle: async (call) => {
      const { db, body, prepared, request, nowMs } = call;
      const newUser = newUserOf(body, prepared);
      const user = body.inviteToken
        ? await registerInvited(db, originOf(request), newUser, body.inviteToken, nowMs)
        : await createUser(db, originOf(request), newUser, 'user', nowMs);
      return signIn(call, user, SESSION_MS);
    },
  });
  api.route({
    method: 'POST',
    path: '/auth/login',
    name: 'logIn',
    tag: 'Signing in',
    summary: 'Sign in',
    description: 'Sets the session’s cookie: 7 days, or 30 with `rememberMe`.',
    access: anyone,
    body: Login,
    stores: 'nothing',
    answers: { status: 200, body: SignedIn },
    fails: [401],
    made,
    prepare: async ({ body: { email, password }, request }) => {
      const address = addressBucket(request.ip);
      const isKnownPlace = () => isKnownAddress(root, email, address);
      const user = await throttle.attempt({ email, address, place: address, isKnownPlace }, async () => {
        const candidate = await findUser(root, email);
        if (await verifyPassword(password, candidate?.passwordHash)) return candidate && withoutPassword(candidate);
        if (candidate) failedSignIns.note(withoutPassword(candidate), originOf(request));
        return undefined;
      });
      if (!user) throw new AppError('unauthenticated', 'Invalid email or password.');
      return user;
    },
    handle: (call) => {
      const { body, prepared: user, request, nowMs } = call;
      const lifetimeMs = body.rememberMe ? REMEMBERED_SESSION_MS : SESSION_MS;
      return signIn(call, user, lifetimeMs, recordSignIn(user, originOf(request), nowMs));
    },
  });
  api.route({
    method: 'POST',
    path: '/auth/logout',
    name: 'logOut',
    tag: 'Signing in',
    summary: 'Sign out',
    description: 'Ends the session on the server.',
    access: users(),
    stores: 'nothing',
    answers: { status: 204 },
    handle: async ({ db, by, caller, reply, nowMs }) => {
      if (caller.via !== 'cookie') return;
      await deleteDashboardSession(db, by, caller.credentialId, nowMs);
      clearCookie(reply, COOKIE_NAME, cookieOptions(config.publicUrl));
    },
  });
  api.route({
    method: 'PUT',
    path: '/auth/password',
    name: 'changePassword',
    tag: 'Signing in',
    summary: 'Change the password',
    description: 'Every other session of the user ends.',
    access: users(),
    body: PasswordChange,
    stores: 'nothing',
    answers: { status: 204 },
    prepare: async ({ caller, body, request }) => {
      const address = addressBucket(request.ip);
      // Whoever is signed in is not kept out by guesses from elsewhere, and guesses no faster by changing addresses.
      const attempt = { email: caller.email, address, place: caller.credentialId, isKnownPlace: async () => true };
      const proved = await throttle.attempt(attempt, async () => {
        const current = await findPasswordHash(root, caller.userId);
        // An account that was made with an API key alone has no password to prove.
        return current === null || (await verifyPassword(body.currentPassword, current)) || undefined;
      });
      if (!proved) throw forbidden('Current password is wrong');
      return hashNewPassword('newPassword', body.newPassword);
    },
    handle: ({ db, by, caller, prepared, nowMs }) =>
      changePassword(db, by, caller.userId, prepared, caller.via === 'cookie' ? caller.credentialId : null, nowMs),
  });
}

function ownAccount(api: Api): void {
  api.route({
    method: 'GET',
    path: '/me',
    name: 'getMe',
    tag: 'Me',
    summary: 'Who is calling',
    access: usersAndKeys(),
    answers: { status: 200, body: Me },
    handle: ({ db, caller }) => principalOf(db, caller),
  });
  api.route({
    method: 'PUT',
    path: '/me',
    name: 'updateMe',
    tag: 'Me',
    summary: 'Change the caller’s name or e-mail address',
    access: users(),
    body: UserChanges,
    stores: 'nothing',
    answers: { status: 200, body: Me },
    fails: [409],
    handle: async ({ db, by, caller, body, nowMs }) => {
      await updateUser(db, by, caller.userId, body, nowMs);
      return principalOf(db, caller);
    },
  });
  api.route({
    method: 'DELETE',
    path: '/me',
    name: 'deleteMe',
    tag: 'Me',
    summary: 'Delete the caller’s account',
    description: 'Its keys, memberships and sessions go along. Refused while a workspace would lose its last owner.',
    access: users(),
    answers: { status: 204 },
    fails: [409],
    handle: ({ db, by, caller, nowMs }) => deleteUser(db, by, caller.userId, nowMs),
  });
}

async function principalOf(db: Queryable, caller: Caller): Promise<Me> {
  if (caller.type === 'access-key') {
    return { principalType: 'ACCESS_KEY', accessKey: await requireAccessKey(db, caller.workspaceId, caller.credentialId) };
  }
  const owner = await requireUser(db, caller.userId);
  return caller.via === 'cookie'
    ? { principalType: 'USER', owner }
    : { principalType: 'API_KEY', owner, apiKey: await requireApiKey(db, caller.userId, caller.credentialId) };
}

async function hashNewPassword(field: 'password' | 'newPassword', password: string): Promise<string> {
  requireUncommon(field, password);
  return hashPassword(password);
}

function requireUncommon(field: 'password' | 'newPassword', password: string): void {
  if (isCommonPassword(password)) throw invalid(field, 'Password is among the most common ones; choose another');
}

function withoutPassword({ id, email, name, role }: User): User {
  return { id, email, name, role };
}

function originOf(request: FastifyRequest): Origin {
  return { address: request.ip, requestId: request.id };
}

function cookieOptions(publicUrl: string) {
  return { path: '/', httpOnly: true, sameSite: 'lax', secure: publicUrl.startsWith('https:') } as const;
}
