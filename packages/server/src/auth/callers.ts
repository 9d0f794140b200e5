/** Who calls: keys and cookies into callers, by one look-up that is cached and still revoked at once on every node. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Permission, Role } from '@commonplace/contract/permissions';
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { AppError } from '../errors.ts';
import { runInLane } from '../lanes/current-lane.ts';
import { CALLERS_TOPIC, type Revocation } from './revocations.ts';
import { hashSecret, looksGenuine } from './secrets.ts';
import { findAccessKeyCaller, findApiKeyCaller, findCookieCaller, findRole, touchKeys } from './store.ts';

export interface UserCaller {
  readonly type: 'user';
  readonly via: 'api-key' | 'cookie';
  /** Of the API key or of the dashboard session. */
  readonly credentialId: string;
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly role: string;
  readonly expiresAt: string | null;
}

export interface AccessKeyCaller {
  readonly type: 'access-key';
  readonly credentialId: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly permissions: ReadonlySet<Permission>;
  /** Those that the key is limited to; undefined for all of the workspace. */
  readonly agentIds: ReadonlySet<string> | undefined;
  readonly expiresAt: string | null;
}

export type Caller = UserCaller | AccessKeyCaller;

/** Who did it and from where, for the audit log. */
export interface Actor {
  readonly type: 'user' | 'access-key' | 'system';
  readonly id: string;
  readonly name: string;
  readonly address: string;
  readonly requestId: string;
}

export const COOKIE_NAME = 'commonplace_session';

const MOST_CACHED = 20_000;
const TOUCH_EVERY_MS = 60_000;
/** Revocations are heard at once; should one ever not be, this is how long it goes unnoticed. Spread out by a quarter. */
const CHECK_EVERY_MS = 60_000;
/** What was not used for so long is looked up before it is relied on. */
const RELIED_ON_MS = 2 * CHECK_EVERY_MS;
const FLUSH_EVERY_MS = 1_000;

/** A caller with what is known of it, kept from request to request. */
export interface Identity {
  readonly caller: Caller;
  readonly expiresAtMs: number;
  readonly roles: Map<string, Role>;
  /** By the monotonic clock, as the two below: the last use that was noted. */
  touchedMs: number;
  readonly lookedUpMs: number;
  checkDueMs: number;
}

interface Credential {
  readonly kind: 'api-key' | 'access-key' | 'cookie';
  readonly secret: string;
}

const refusals = {
  'api-key': 'Invalid API key.',
  'access-key': 'Invalid access key.',
  cookie: 'Invalid or expired session.',
} as const;

export class Callers {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #known = new Map<string, Identity>();
  /** The hashes of what is presented again and again, by its text. */
  readonly #hashes = new Map<string, string>();
  readonly #touched = new Map<string, { caller: Caller; atMs: number }>();
  readonly #flushing: NodeJS.Timeout;
  /** Counts revocations, so that a look-up that was under way during one is not kept. */
  #generation = 0;

  constructor(db: Database, clock: Clock, log: Logger) {
    this.#db = db;
    this.#clock = clock;
    this.#log = log;
    db.listen(CALLERS_TOPIC, (payload) => this.#drop(payload === '*' ? undefined : (JSON.parse(payload) as Revocation)));
    this.#flushing = setInterval(() => void this.flush(), FLUSH_EVERY_MS).unref();
  }

  /** The first credential present decides: API key, access key, cookie. Answers without a promise when it is known. */
  identify(headers: IncomingHttpHeaders, cookie: string | undefined): Identity | Promise<Identity> {
    const credential = presentedCredential(headers, cookie);
    if (!credential) throw new AppError('unauthenticated', 'Not authenticated.');
    const key = this.#keyOf(credential);
    const known = this.#db.trustsBroadcasts() ? this.#known.get(key) : undefined;
    const nowMs = this.#clock.monotonicMs();
    if (!known || nowMs - known.lookedUpMs >= RELIED_ON_MS) return this.#lookUp(credential, key, known);
    this.#unlessExpired(known, credential);
    if (nowMs >= known.checkDueMs) void this.#checkAgain(credential, key, known);
    this.#touch(known);
    return known;
  }

  /** A user's role in a workspace; undefined for a stranger. */
  roleOf(identity: Identity, userId: string, workspaceId: string): Role | undefined | Promise<Role | undefined> {
    return identity.roles.get(workspaceId) ?? this.#lookUpRole(identity, userId, workspaceId);
  }

  /** Writes the times of last use; one statement for all keys used lately. */
  async flush(): Promise<void> {
    if (this.#touched.size === 0) return;
    const touched = [...this.#touched].sort().map(([, use]) => use);
    this.#touched.clear();
    try {
      await touchKeys(this.#db, touched);
    } catch (error) {
      this.#log.warn({ err: error }, 'the times of last use of some keys were not written');
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#flushing);
    await this.flush();
  }

  /** Under which an identity is known. */
  #keyOf(credential: Credential): string {
    const { kind, secret } = credential;
    let hash = this.#hashes.get(secret);
    if (hash === undefined) {
      if (!looksGenuine(secret)) throw refused(credential);
      hash = hashSecret(secret);
    }
    return `${kind}:${hash}`;
  }

  async #lookUp(credential: Credential, key: string, before?: Identity): Promise<Identity> {
    const generation = this.#generation;
    const hash = hashSecret(credential.secret);
    const lookedUpMs = this.#clock.monotonicMs();
    // Whoever sends one key many times waits for themselves, also where many share an address.
    const caller = await runInLane(`credential:${hash}`, () => finders[credential.kind](this.#db, hash));
    if (!caller) {
      if (before && this.#known.get(key) === before) this.#known.delete(key);
      throw refused(credential);
    }
    const known: Identity = {
      caller,
      expiresAtMs: caller.expiresAt ? Date.parse(caller.expiresAt) : Number.POSITIVE_INFINITY,
      roles: new Map(),
      touchedMs: before?.touchedMs ?? Number.NEGATIVE_INFINITY,
      lookedUpMs,
      checkDueMs: lookedUpMs + CHECK_EVERY_MS * (0.75 + Math.random() / 2),
    };
    if (generation === this.#generation) {
      putBounded(this.#known, key, known);
      putBounded(this.#hashes, credential.secret, hash);
    }
    this.#touch(known);
    return this.#unlessExpired(known, credential);
  }

  /** While the request goes on with what is known. */
  async #checkAgain(credential: Credential, key: string, known: Identity): Promise<void> {
    known.checkDueMs = this.#clock.monotonicMs() + CHECK_EVERY_MS;
    try {
      await this.#lookUp(credential, key, known);
    } catch (error) {
      if (error instanceof AppError)
        this.#log.info({ credential: known.caller.credentialId }, 'a key that is gone was still known, and is dropped');
      else this.#log.warn({ err: error }, 'a cached caller could not be looked up again');
    }
  }

  async #lookUpRole(identity: Identity, userId: string, workspaceId: string): Promise<Role | undefined> {
    const generation = this.#generation;
    const role = await runInLane(`user:${userId}`, () => findRole(this.#db, workspaceId, userId));
    if (role && generation === this.#generation) identity.roles.set(workspaceId, role);
    return role;
  }

  #unlessExpired(known: Identity, credential: Credential): Identity {
    if (known.expiresAtMs <= this.#clock.nowMs()) throw refused(credential);
    return known;
  }

  #touch(known: Identity): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - known.touchedMs < TOUCH_EVERY_MS) return;
    known.touchedMs = nowMs;
    this.#touched.set(known.caller.credentialId, { caller: known.caller, atMs: this.#clock.nowMs() });
  }

  #drop(revocation: Revocation | undefined): void {
    this.#generation++;
    // Nothing that was revoked stays in memory as a text.
    this.#hashes.clear();
    if (!revocation) {
      this.#known.clear();
      return;
    }
    for (const [key, known] of this.#known) {
      const { caller } = known;
      const gone =
        caller.credentialId === revocation.credentialId ||
        (caller.type === 'user' && caller.userId === revocation.userId) ||
        (caller.type === 'access-key' && caller.workspaceId === revocation.workspaceId);
      if (gone) this.#known.delete(key);
      else if (revocation.workspaceId) known.roles.delete(revocation.workspaceId);
    }
  }
}

const finders = { 'api-key': findApiKeyCaller, 'access-key': findAccessKeyCaller, cookie: findCookieCaller } as const;

/** The oldest goes where there are too many. */
function putBounded<Value>(map: Map<string, Value>, key: string, value: Value): void {
  if (map.size >= MOST_CACHED && !map.has(key)) map.delete(map.keys().next().value as string);
  map.set(key, value);
}

function refused(credential: Credential): AppError {
  return new AppError('unauthenticated', refusals[credential.kind]);
}

function presentedCredential(headers: IncomingHttpHeaders, cookie: string | undefined): Credential | undefined {
  const apiKey = headers['x-api-key'];
  if (apiKey !== undefined) return { kind: 'api-key', secret: String(apiKey) };
  const accessKey = headers['x-access-key'];
  if (accessKey !== undefined) return { kind: 'access-key', secret: String(accessKey) };
  if (cookie !== undefined) return { kind: 'cookie', secret: cookie };
  return undefined;
}
