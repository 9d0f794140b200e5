/** The suite `dashboard`: figures from the browser itself. What a first visit transfers and takes, and how a long conversation scrolls. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { Commonplace } from '../packages/client/src/index.ts';
import { findBrowser, NO_BROWSER } from '../packages/server/test/browser.ts';
import { median } from './measure.ts';
import { Processes } from './processes.ts';
import { startService } from './service.ts';
import { heading, row } from './table.ts';
import { sentence } from './texts.ts';

const MESSAGES = 100_000;
const VISITS = 5;
const SCROLL_MS = 10_000;
const EMAIL = 'ines@millhouse.example';
const PASSWORD = 'correct horse battery staple';

/** In the page: how far things moved, until when its thread was held, and how long each frame took. */
const INSTRUMENTS = `
  window.measured = { layoutShift: 0, busyUntilMs: 0, frames: [] };
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) measured.layoutShift += value;
  }).observe({ type: 'layout-shift', buffered: true });
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) measured.busyUntilMs = Math.max(measured.busyUntilMs, startTime + duration);
  }).observe({ type: 'longtask', buffered: true });
  let lastMs = performance.now();
  requestAnimationFrame(function next(nowMs) {
    measured.frames.push(nowMs - lastMs);
    lastMs = nowMs;
    requestAnimationFrame(next);
  });
`;

interface Visit {
  /** Pages, scripts and styles, compressed, with their headers. */
  readonly fileKilobytes: number;
  /** What the API answered, with its headers. */
  readonly dataKilobytes: number;
  readonly firstPaintMs: number;
  readonly interactiveMs: number;
  readonly layoutShift: number;
}

export async function runDashboard(): Promise<void> {
  const program = findBrowser();
  if (!program) return console.log(`\nThe dashboard is left out: ${NO_BROWSER}`);
  await using stack = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'commonplace-bench-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const processes = stack.use(new Processes());
  const admin = { COMMONPLACE_ADMIN_EMAIL: EMAIL, COMMONPLACE_ADMIN_PASSWORD: PASSWORD };
  const { url, apiKey } = await startService(processes, { COMMONPLACE_DATA_DIR: dataDir, ...admin });
  const path = await fillSession(new Commonplace({ baseUrl: url, apiKey }));
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({ executablePath: program, args: sandbox });
  stack.defer(() => browser.close());
  const newContext = () => browser.newContext({ baseURL: url, viewport: { width: 1440, height: 900 } });

  heading(`First visits, nothing cached: median of ${VISITS}, over loopback`, [
    '',
    'files',
    'data',
    'first paint',
    'interactive',
    'layout shift',
  ]);
  await measureVisits('sign-in', '/sign-in', newContext, false);
  await measureVisits('overview', path.workspace, newContext, true);
  await measureVisits(`a session of ${MESSAGES.toLocaleString('en')} messages`, path.session, newContext, true);

  heading(`Scrolling ${MESSAGES.toLocaleString('en')} messages by wheel for ${SCROLL_MS / 1000} s`, [
    '',
    'frames a second',
    'p95 of a frame',
    'longest',
    'messages passed',
  ]);
  const context = await newContext();
  await signIn(context);
  const page = await context.newPage();
  await page.addInitScript({ content: INSTRUMENTS });
  await page.goto(path.session);
  await page.getByRole('feed').waitFor();
  await page.waitForLoadState('networkidle');
  for (const [name, step] of [
    ['reading speed', 400],
    ['fast', 4_000],
  ] as const)
    await measureScroll(name, page, step);
}

/** Through the API, as a history that is brought along. */
async function fillSession(client: Commonplace): Promise<{ workspace: string; session: string }> {
  const { id } = await client.workspaces.create({ name: 'Millhouse Supply' });
  const workspace = client.workspace(id);
  const agent = await workspace.agents.create({ name: 'Order desk' });
  const session = await workspace.sessions.create(agent.id, { id: 'long' });
  const startMs = Date.now() - 90 * 24 * 60 * 60 * 1000;
  for (let at = 0; at < MESSAGES; at += 100) {
    const messages = Array.from({ length: 100 }, (_, index) => ({
      role: (at + index) % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content: sentence(at + index),
      createdAt: new Date(startMs + (at + index) * 60_000).toISOString(),
    }));
    await workspace.messages.createBatch(agent.id, session.id, { messages });
  }
  return { workspace: `/w/${id}`, session: `/w/${id}/agents/${agent.id}/sessions/${session.id}` };
}

async function signIn(context: BrowserContext): Promise<void> {
  const answer = await context.request.post('/api/v1/auth/login', { data: { email: EMAIL, password: PASSWORD } });
  if (!answer.ok()) throw new Error(`No sign-in: ${answer.status()}`);
}

async function measureVisits(name: string, path: string, newContext: () => Promise<BrowserContext>, signedIn: boolean): Promise<void> {
  const visits: Visit[] = [];
  while (visits.length < VISITS) {
    const context = await newContext();
    if (signedIn) await signIn(context);
    visits.push(await visit(context, path));
    await context.close();
  }
  const of = (pick: (visit: Visit) => number) => median(visits.map(pick));
  row([
    name,
    `${of(({ fileKilobytes }) => fileKilobytes).toFixed(0)} kB`,
    `${of(({ dataKilobytes }) => dataKilobytes).toFixed(0)} kB`,
    `${of(({ firstPaintMs }) => firstPaintMs).toFixed(0)} ms`,
    `${of(({ interactiveMs }) => interactiveMs).toFixed(0)} ms`,
    of(({ layoutShift }) => layoutShift).toFixed(3),
  ]);
}

/** Interactive: its heading is there, what it asked for has come, and the main thread is free. */
async function visit(context: BrowserContext, path: string): Promise<Visit> {
  const page = await context.newPage();
  const kilobytes = { files: 0, data: 0 };
  const sizes: Promise<void>[] = [];
  page.on('requestfinished', (request) => {
    sizes.push(
      request.sizes().then(({ responseBodySize, responseHeadersSize }) => {
        const isData = new URL(request.url()).pathname.startsWith('/api/');
        kilobytes[isData ? 'data' : 'files'] += (responseBodySize + responseHeadersSize) / 1000;
      }),
    );
  });
  await page.addInitScript({ content: INSTRUMENTS });
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  const shownMs = await page.evaluate<number>('performance.now()');
  await page.waitForLoadState('networkidle');
  await Promise.all(sizes);
  const { layoutShift, busyUntilMs } = await page.evaluate<{ layoutShift: number; busyUntilMs: number }>('measured');
  const firstPaintMs = await page.evaluate<number>("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN");
  const interactiveMs = Math.max(shownMs, busyUntilMs);
  return { fileKilobytes: kilobytes.files, dataKilobytes: kilobytes.data, firstPaintMs, interactiveMs, layoutShift };
}

async function measureScroll(name: string, page: Page, step: number): Promise<void> {
  await page.evaluate('measured.frames.length = 0');
  await page.mouse.move(600, 450);
  const endMs = performance.now() + SCROLL_MS;
  let passed = 0;
  while (performance.now() < endMs) {
    await page.mouse.wheel(0, -step);
    passed += step;
  }
  const frames = await page.evaluate<number[]>('measured.frames');
  const sorted = [...frames].sort((a, b) => a - b);
  const p95 = sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN;
  row([
    name,
    (frames.length / (SCROLL_MS / 1000)).toFixed(0),
    `${p95.toFixed(0)} ms`,
    `${(sorted.at(-1) ?? Number.NaN).toFixed(0)} ms`,
    `about ${Math.round(passed / 80).toLocaleString('en')}`,
  ]);
}
