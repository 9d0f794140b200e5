/** `npm run screenshots`: the pictures of docs/images, of a service of its own with a story of its own. Needs a Chromium. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { type Browser, chromium, type Page } from 'playwright-core';
import { createApp } from '../../packages/server/src/app.ts';
import { newSecret } from '../../packages/server/src/auth/secrets.ts';
import { readConfig } from '../../packages/server/src/config.ts';
import { migrate } from '../../packages/server/src/db/migrate.ts';
import { openDatabase } from '../../packages/server/src/db/open.ts';
import { findBrowser, NO_BROWSER } from '../../packages/server/test/browser.ts';
import { type Story, StoryClock, tellStory } from './story.ts';

const images = fileURLToPath(new URL('../../docs/images/', import.meta.url));

interface Picture {
  readonly name: string;
  path(story: Story): string;
  /** What it shows beyond what the address says. */
  prepare?(page: Page): Promise<void>;
  readonly phone?: true;
}

const VARIABLES = JSON.stringify({ company: 'Millhouse Supply', customer: 'Marta' });

const pictures: readonly Picture[] = [
  { name: 'overview', path: ({ workspaceId }) => `/w/${workspaceId}?days=30` },
  {
    name: 'session',
    path: ({ workspaceId, agent, session }) => `/w/${workspaceId}/agents/${agent.id}/sessions/${session.id}`,
    prepare: (page) =>
      page
        .getByText(/prefers deliveries before six/)
        .first()
        .click(),
  },
  { name: 'prompt', path: ({ workspaceId, promptId }) => `/w/${workspaceId}/prompts/${promptId}` },
  { name: 'knowledge', path: ({ workspaceId }) => `/w/${workspaceId}/knowledge?q=When%20do%20the%20vans%20leave%3F` },
  {
    name: 'context',
    path: ({ workspaceId, agent, session }) =>
      `/w/${workspaceId}/context?agent=${agent.id}&session=${session.id}&q=When%20may%20the%20van%20come%3F&variables=${encodeURIComponent(VARIABLES)}`,
  },
  { name: 'keys', path: ({ workspaceId }) => `/w/${workspaceId}/keys` },
  { name: 'docs', path: () => '/docs?operation=createMessage' },
  { name: 'sign-in', path: () => '/sign-in' },
  { name: 'phone', phone: true, path: ({ workspaceId, agent, session }) => `/w/${workspaceId}/agents/${agent.id}/sessions/${session.id}` },
];

async function takePictures(browser: Browser, url: string, story: Story, wanted: readonly string[]): Promise<void> {
  for (const theme of ['light', 'dark'] as const) {
    const signedIn = { data: { email: story.email, password: story.password } };
    for (const picture of pictures) {
      if (wanted.length > 0 && !wanted.includes(picture.name)) continue;
      const viewport = picture.phone ? { width: 390, height: 844 } : { width: 1440, height: 900 };
      const context = await browser.newContext({
        baseURL: url,
        viewport,
        colorScheme: theme,
        deviceScaleFactor: 2,
        hasTouch: picture.phone ?? false,
      });
      await context.request.post('/api/v1/auth/login', signedIn);
      const page = await context.newPage();
      await page.goto(picture.path(story));
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      await picture.prepare?.(page);
      await page.waitForLoadState('networkidle');
      await page.evaluate('document.fonts.ready.then(() => document.activeElement?.blur())');
      await page.screenshot({ path: join(images, `${picture.name}-${theme}.png`), animations: 'disabled' });
      await context.close();
    }
  }
}

const program = findBrowser();
if (!program) throw new Error(NO_BROWSER);
await using stack = new AsyncDisposableStack();
const dataDir = mkdtempSync(join(tmpdir(), 'commonplace-screenshots-'));
stack.defer(() => rmSync(dataDir, { recursive: true, force: true }));
const apiKey = newSecret('apiKey');
const config = readConfig({
  COMMONPLACE_DATA_DIR: dataDir,
  COMMONPLACE_ADMIN_EMAIL: 'ines@millhouse.example',
  COMMONPLACE_ADMIN_PASSWORD: 'correct horse battery staple',
  COMMONPLACE_ADMIN_API_KEY: apiKey,
});
const log = pino({ level: 'warn' });
const db = await openDatabase(config, log);
stack.defer(() => db.close());
await migrate(db);
const clock = new StoryClock();
const app = await createApp(config, db, log, clock);
stack.defer(() => app.close());
const url = await app.server.listen({ host: '127.0.0.1', port: 0 });
console.log('Living through thirty days …');
const story = await tellStory(app, clock, url, apiKey);
const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
const browser = await chromium.launch({ executablePath: program, args: sandbox });
stack.defer(() => browser.close());
mkdirSync(images, { recursive: true });
await takePictures(browser, url, story, process.argv.slice(2));
console.log(`Pictures are in ${images}`);
