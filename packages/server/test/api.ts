/** The API under test: HTTP in, JSON out, on the engine of the project that runs. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { grantablePermissions, type Permission, type Role } from '@commonplace/contract/permissions';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { pino } from 'pino';
import { test as base, expect, inject } from 'vitest';
import { createAccessKey } from '../src/access-keys/store.ts';
import { createApiKey } from '../src/api-keys/store.ts';
import { type App, createApp } from '../src/app.ts';
import type { Actor } from '../src/auth/callers.ts';
import type { Clock } from '../src/clock.ts';
import { type Config, type Environment, readConfig } from '../src/config.ts';
import { newId } from '../src/db/ids.ts';
import { type MigratableDatabase, migrate } from '../src/db/migrate.ts';
import { openDatabase } from '../src/db/open.ts';
import { raw, sql } from '../src/db/sql.ts';
import { membershipOf } from '../src/members/store.ts';
import { createDashboardSession, createUser } from '../src/users/store.ts';
import { createWorkspace } from '../src/workspaces/store.ts';
import { checkAnswers } from './checked-answers.ts';
import { createTestDatabase } from './database.ts';
import { migratedTemplate } from './migrated-template.ts';
import { withinProcessorTime } from './request-time.ts';

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body, field by field.
  readonly body: any;
  readonly headers: Record<string, string | string[] | number | undefined>;
  readonly text: string;
}

/** Sends requests with one credential. Paths are below /api/v1. */
export class Client {
  readonly headers: Record<string, string>;
  readonly #server: FastifyInstance;
  constructor(server: FastifyInstance, headers: Record<string, string>) {
    this.#server = server;
    this.headers = headers;
  }

  get(path: string, headers?: Record<string, string>): Promise<Answer> {
    return this.send('GET', path, undefined, headers);
  }
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.send('POST', path, body, headers);
  }
  put(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.send('PUT', path, body, headers);
  }
  delete(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.send('DELETE', path, body, headers);
  }
  with(headers: Record<string, string>): Client {
    return new Client(this.#server, { ...this.headers, ...headers });
  }

  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const options: InjectOptions = {
      method: method as NonNullable<InjectOptions['method']>,
      url: `/api/v1${path}`,
      headers: { ...this.headers, ...headers },
      ...(body !== undefined && { payload: body as NonNullable<InjectOptions['payload']> }),
    };
    const answer = await withinProcessorTime(`${method} ${path}`, () => this.#server.inject(options));
    const isJson =
      String(answer.headers['content-type']).startsWith('application/json') && answer.headers['content-encoding'] === undefined;
    return {
      status: answer.statusCode,
      body: isJson && answer.body ? JSON.parse(answer.body) : undefined,
      headers: answer.headers,
      text: answer.body,
    };
  }
}

export interface TestUser {
  readonly id: string;
  readonly email: string;
  readonly client: Client;
}

export interface TestWorkspace {
  readonly id: string;
  readonly url: string;
  readonly owner: Client;
  readonly ownerUser: TestUser;
}

export interface TestAgent {
  readonly id: string;
  readonly url: string;
  readonly workspace: TestWorkspace;
  /** Holds an access key with every permission. */
  readonly runtime: Client;
}

export interface TestSession {
  readonly id: string;
  readonly url: string;
  readonly agent: TestAgent;
  readonly runtime: Client;
}

export interface TestPrompt {
  readonly id: string;
  readonly url: string;
  readonly workspace: TestWorkspace;
  readonly runtime: Client;
}

export const anId = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
export const aTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

/** A refusal, whole: nothing in it but what is said here. */
export function refusal(status: number, errorMessage: string, path?: string) {
  const code = { 400: 'validation_failed', 404: 'not_found', 409: 'conflict' }[status] ?? expect.any(String);
  const details = path !== undefined && { details: expect.arrayContaining([{ path, message: errorMessage }]) };
  return expect.objectContaining({ status, body: { errorMessage, code, requestId: expect.any(String), ...details } });
}

/** Real time, moved by hand where a test needs it. */
export class TestClock implements Clock {
  #aheadMs = 0;
  nowMs(): number {
    return Date.now() + this.#aheadMs;
  }
  monotonicMs(): number {
    return performance.now() + this.#aheadMs;
  }
  advance(ms: number): void {
    this.#aheadMs += ms;
  }
}

export class TestApi {
  readonly app: App;
  readonly db: MigratableDatabase;
  readonly clock: TestClock;
  readonly anonymous: Client;
  constructor(app: App, db: MigratableDatabase, clock: TestClock) {
    this.app = app;
    this.db = db;
    this.clock = clock;
    this.anonymous = new Client(app.server, {});
  }

  client(headers: Record<string, string>): Client {
    return new Client(this.app.server, headers);
  }

  async newUser(name = 'Somebody', passwordHash: string | null = null): Promise<TestUser> {
    const email = `${newId()}@example.com`;
    const user = await createUser(
      this.db,
      { address: 'test', requestId: 'test' },
      { email, name, passwordHash },
      'user',
      this.clock.nowMs(),
    );
    const { key } = await createApiKey(this.db, actor(user.id), user.id, { name: 'test' }, this.clock.nowMs());
    return { id: user.id, email, client: this.client({ 'x-api-key': key }) };
  }

  async newWorkspace(name = 'A workspace'): Promise<TestWorkspace> {
    const ownerUser = await this.newUser('Owner');
    const { id } = await createWorkspace(this.db, actor(ownerUser.id), { name }, this.clock.nowMs());
    return { id, url: `/workspaces/${id}`, owner: ownerUser.client, ownerUser };
  }

  async newMember(workspace: TestWorkspace, role: Role): Promise<TestUser> {
    const user = await this.newUser(`Some ${role}`);
    await this.db.run(membershipOf(workspace.id, user.id, role, this.clock.nowMs()));
    return user;
  }

  async newAccessKey(
    workspace: TestWorkspace,
    permissions: readonly Permission[] = grantablePermissions,
    expiresAt?: string,
    agentIds?: string[],
  ): Promise<Client & { keyId: string }> {
    const by = actor(workspace.ownerUser.id);
    const created = await createAccessKey(
      this.db,
      by,
      workspace.id,
      { name: 'test', permissions: [...permissions], expiresAt, agentIds },
      this.clock.nowMs(),
    );
    return Object.assign(this.client({ 'x-access-key': created.key }), { keyId: created.id });
  }

  async newAgent(workspace?: TestWorkspace, fields: Record<string, unknown> = {}): Promise<TestAgent> {
    const home = workspace ?? (await this.newWorkspace());
    const runtime = await this.newAccessKey(home);
    const { id } = made(await runtime.post(`${home.url}/agents`, { name: 'An agent', description: 'Helps.', ...fields }));
    return { id, url: `${home.url}/agents/${id}`, workspace: home, runtime };
  }

  /** `query` as in the address: `id=chat-1&customer=42`. */
  async newSession(agent?: TestAgent, query = '', fields?: Record<string, unknown>): Promise<TestSession> {
    const home = agent ?? (await this.newAgent());
    const { id } = made(await home.runtime.post(`${home.url}/sessions?${query}`, fields));
    return { id, url: `${home.url}/sessions/${id}`, agent: home, runtime: home.runtime };
  }

  async newPrompt(workspace?: TestWorkspace, fields: Record<string, unknown> = {}): Promise<TestPrompt> {
    const home = workspace ?? (await this.newWorkspace());
    const runtime = await this.newAccessKey(home);
    const { promptId } = made(await runtime.post(`${home.url}/prompts`, { name: 'Greeting', type: 'text', content: 'Hello', ...fields }));
    return { id: promptId, url: `${home.url}/prompts/${promptId}`, workspace: home, runtime };
  }

  /** How many rows a table has of a workspace, whether or not anybody can reach them. */
  async countRows(table: string, workspaceId: string): Promise<number> {
    const { count } = await this.db.one(sql<{ count: number }>`
      select count(*) as count from ${raw(table)} where workspace_id = ${workspaceId}`);
    return count;
  }

  /** A browser that is signed in; `sameOrigin` is the browser's word on where the request comes from. */
  async newBrowser(user: TestUser, sameOrigin = true): Promise<Client> {
    const session = { userId: user.id, lifetimeMs: 60_000, address: 'test', userAgent: 'test' };
    const token = await createDashboardSession(this.db, session, this.clock.nowMs());
    return this.client({ cookie: `commonplace_session=${token}`, ...(sameOrigin && { 'sec-fetch-site': 'same-origin' }) });
  }

  /** Runs every job that is due. */
  async drainJobs(): Promise<void> {
    await this.app.jobRunner.drain();
  }

  /** Everything that was said so far is looked at for memories. */
  async extractMemories(): Promise<void> {
    for (let turns = 0; turns < 100; turns++) {
      // No session is left to wait for more, and none rests.
      this.clock.advance(turns === 0 ? 6_000 : 15_000);
      await this.app.context.deferredJobs.flush();
      await this.drainJobs();
      const waiting = await this.db.query(sql`
        select 1 as one from extraction_queue where failed_at is null union all select 1 as one from outbox where messages like '%,1]%' limit 1`);
      if (waiting.length === 0) return;
    }
  }
}

/** The body of a creation that has to succeed for the test to go on. */
export function made(answer: Answer): Answer['body'] {
  if (answer.status !== 201) throw new Error(`Expected 201, got ${answer.status}: ${answer.text}`);
  return answer.body;
}

/** All rows of a list, by cursor, with the number of pages that it took. */
export async function walk(client: Client, path: string, key: string, limit: number, between?: (page: number) => Promise<unknown>) {
  const rows: Answer['body'][] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    const { status, body, text } = await client.get(`${path}?limit=${limit}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`);
    if (status !== 200) throw new Error(`Expected 200, got ${status}: ${text}`);
    rows.push(...body[key]);
    cursor = body._meta.cursor;
    await between?.(pages++);
  } while (cursor !== undefined);
  return { rows, pages };
}

/** The same call many times at once: how often each status came, and the answers. */
export async function atOnce(count: number, call: (index: number) => Promise<Answer>) {
  const answers = await Promise.all(Array.from({ length: count }, (_, index) => call(index)));
  const statuses: Record<number, number> = {};
  for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1;
  return { answers, statuses };
}

function actor(userId: string): Actor {
  return { type: 'user', id: userId, name: 'test', address: 'test', requestId: 'test' };
}

export interface OpenedApi {
  readonly api: TestApi;
  close(): Promise<void>;
}

/** A service of its own, on a database of its own. Most tests share the file's instead, through the `api` fixture. */
export async function openApi(environment: Environment = {}): Promise<OpenedApi> {
  const log = pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' });
  const place = await newPlace();
  const config: Config = readConfig({ COMMONPLACE_REGISTRATION: 'open', ...place.environment, ...environment });
  const db = await openDatabase(config, log);
  await migrate(db);
  const clock = new TestClock();
  const app = await createApp(config, db, log, clock);
  checkAnswers(app.api);
  return {
    api: new TestApi(app, db, clock),
    close: async () => {
      await app.close();
      await db.close();
      await place.remove();
    },
  };
}

async function newPlace(): Promise<{ environment: Environment; remove(): Promise<void> }> {
  if (inject('engine') === 'postgres') {
    const database = await createTestDatabase(migratedTemplate);
    return { environment: { COMMONPLACE_DATABASE_URL: database.url, COMMONPLACE_DATABASE_POOL_SIZE: '10' }, remove: database.drop };
  }
  const dataDir = await mkdtemp(join(tmpdir(), 'commonplace-test-'));
  return { environment: { COMMONPLACE_DATA_DIR: dataDir }, remove: () => rm(dataDir, { recursive: true, force: true }) };
}

export const test = base.extend<{ api: TestApi }>({
  api: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the fixtures that a fixture needs from this pattern.
    async ({}, use) => {
      const { api, close } = await openApi();
      await use(api);
      await close();
    },
    { scope: 'file' },
  ],
});
