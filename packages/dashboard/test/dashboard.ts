/** The dashboard under test: a real browser on a real service, on the engine of the project that runs. */
import { Commonplace, type Workspace, type WorkspaceResources } from '@commonplace/client';
import { type Browser, type BrowserContext, chromium, devices, type Page } from 'playwright-core';
import { test as base, expect } from 'vitest';
import { createApiKey } from '../../server/src/api-keys/store.ts';
import { hashPassword } from '../../server/src/auth/passwords.ts';
import { newId } from '../../server/src/db/ids.ts';
import { membershipOf } from '../../server/src/members/store.ts';
import { createDashboardSession, createUser } from '../../server/src/users/store.ts';
import { openApi, type TestApi } from '../../server/test/api.ts';
import { findBrowser, NO_BROWSER } from '../../server/test/browser.ts';

const PASSWORD = 'correct horse battery staple';
/** For what hangs, not for what is slow. */
const LIMIT_MS = 120_000;
const DAY_MS = 24 * 60 * 60 * 1000;

const program = findBrowser();
if (!program) console.warn(`Tests: the dashboard is not tried in a browser: ${NO_BROWSER}`);

export interface Person {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly password: string;
  /** Calls the API with a key of theirs. */
  readonly client: Commonplace;
}

/** A workspace and its owner. */
export interface Team {
  readonly owner: Person;
  readonly workspace: Workspace;
  readonly client: WorkspaceResources;
  /** `/w/<id>`, and what is below: `path('/keys')`. */
  path(below?: string): string;
}

export interface OpenOptions {
  /** Whose cookie the browser has; nobody's unless told. */
  readonly as?: Person;
  readonly dark?: boolean | undefined;
  /** A phone's screen and touch. */
  readonly phone?: boolean | undefined;
  readonly width?: number;
}

export class Dashboard {
  readonly url: string;
  readonly api: TestApi;
  readonly #browser: Browser;
  readonly #contexts: BrowserContext[] = [];
  readonly #errors: string[] = [];

  constructor(url: string, api: TestApi, browser: Browser) {
    this.url = url;
    this.api = api;
    this.#browser = browser;
  }

  async newPerson(name = 'Ines Duarte'): Promise<Person> {
    const email = `${newId()}@millhouse.example`;
    const nowMs = this.api.clock.nowMs();
    const by = { address: 'test', requestId: 'test' };
    const user = await createUser(this.api.db, by, { email, name, passwordHash: await hashPassword(PASSWORD) }, 'user', nowMs);
    const actor = { type: 'user', id: user.id, name, ...by } as const;
    const { key } = await createApiKey(this.api.db, actor, user.id, { name: 'test' }, nowMs);
    return { id: user.id, name, email, password: PASSWORD, client: new Commonplace({ baseUrl: this.url, apiKey: key }) };
  }

  async newTeam(name = 'Millhouse Supply'): Promise<Team> {
    const owner = await this.newPerson();
    const workspace = await owner.client.workspaces.create({ name });
    return { owner, workspace, client: owner.client.workspace(workspace.id), path: (below = '') => `/w/${workspace.id}${below}` };
  }

  async newMember(team: Team, role: 'owner' | 'admin' | 'readonly', name = 'Tomas Reyes'): Promise<Person> {
    const person = await this.newPerson(name);
    await this.api.db.run(membershipOf(team.workspace.id, person.id, role, this.api.clock.nowMs()));
    return person;
  }

  /** A page at a path of the app, in a browser of its own that shares nothing with the others. */
  async open(path: string, options: OpenOptions = {}): Promise<Page> {
    const context = await this.#newContext(options);
    if (options.as) await this.#signIn(context, options.as);
    const page = await context.newPage();
    this.#watch(page, this.url);
    await page.goto(path);
    return page;
  }

  /** A page of another service, which the test started itself. */
  async openElsewhere(url: string): Promise<Page> {
    const page = await (await this.#newContext({})).newPage();
    this.#watch(page, new URL(url).origin);
    await page.goto(url);
    return page;
  }

  async #newContext({ dark, phone, width }: OpenOptions): Promise<BrowserContext> {
    const context = await this.#browser.newContext({
      baseURL: this.url,
      colorScheme: dark ? 'dark' : 'light',
      reducedMotion: 'reduce',
      permissions: ['clipboard-read', 'clipboard-write'],
      ...(phone ? devices['iPhone 15'] : { viewport: { width: width ?? 1440, height: 900 } }),
    });
    this.#contexts.push(context);
    context.setDefaultTimeout(LIMIT_MS);
    return context;
  }

  async #signIn(context: BrowserContext, person: Person): Promise<void> {
    const session = { userId: person.id, lifetimeMs: DAY_MS, address: 'test', userAgent: 'test' };
    const token = await createDashboardSession(this.api.db, session, this.api.clock.nowMs());
    await context.addCookies([{ name: 'commonplace_session', value: token, url: this.url, httpOnly: true, sameSite: 'Lax' }]);
  }

  /** Exceptions, and what the console calls an error: also what the Content-Security-Policy refused. */
  #watch(page: Page, home: string): void {
    page.on('pageerror', (error) => this.#errors.push(`${page.url()}: ${error.message}`));
    page.on('console', (message) => {
      // A refusal of the API is not an error of the page.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) this.#errors.push(message.text());
    });
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      if (origin !== home && protocol !== 'blob:' && protocol !== 'data:') this.#errors.push(`a request to ${request.url()}`);
    });
  }

  /** After each test: closes what it opened, and holds that no page complained. */
  async settle(): Promise<void> {
    await Promise.all(this.#contexts.splice(0).map((context) => context.close()));
    expect(this.#errors.splice(0)).toEqual([]);
  }
}

export async function startBrowser(executablePath: string): Promise<Browser> {
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath, args: [...sandbox, '--disable-dev-shm-usage'] });
}

const withDashboard = base.extend<{ dashboard: Dashboard; settled: undefined }>({
  dashboard: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the fixtures that a fixture needs from this pattern.
    async ({}, use) => {
      const { api, close } = await openApi();
      const url = await api.app.server.listen({ host: '127.0.0.1', port: 0 });
      api.app.start();
      const browser = await startBrowser(program as string);
      await use(new Dashboard(url, api, browser));
      await browser.close();
      await close();
    },
    { scope: 'file' },
  ],
  settled: [
    async ({ dashboard }, use) => {
      await use(undefined);
      await dashboard.settle();
    },
    { auto: true },
  ],
});

/** As Vitest's; left out where there is no browser, which in CI is a failure. */
export const test = program ? withDashboard : (withDashboard.skip as unknown as typeof withDashboard);
