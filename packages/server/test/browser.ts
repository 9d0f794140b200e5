/** A browser for tests: found on this machine, started without a window, and driven by the protocol of its own developer tools. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DevTools } from './dev-tools.ts';
import { findPrograms } from './programs.ts';

export const NO_BROWSER =
  'no Chromium or Chrome on this machine: install one (Debian: apt-get install chromium-headless-shell), or name its program in TEST_BROWSER';

/** The shell first: it has no window to draw, and takes two thirds of the time. */
const NAMES = [
  'chromium-headless-shell',
  'chrome-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
];
const MAC_APPS = ['Google Chrome', 'Chromium'].map((app) => `/Applications/${app}.app/Contents/MacOS/${app}`);
/** Where Playwright and Puppeteer keep what they have fetched. */
const CACHED = [
  '.cache/ms-playwright/chromium-*/chrome-linux*/chrome',
  '.cache/puppeteer/chrome/*/chrome-linux64/chrome',
  'Library/Caches/ms-playwright/chromium-*/chrome-mac*/*.app/Contents/MacOS/*',
];

/** The program; undefined where there is none, which is a failure where nothing may be left out. */
export function findBrowser(): string | undefined {
  const given = process.env.TEST_BROWSER;
  const cached = () => CACHED.flatMap((pattern) => globSync(pattern, { cwd: homedir() })).map((file) => join(homedir(), file));
  const [found] = given ? [given] : [...NAMES.flatMap(findPrograms), ...MAC_APPS.filter((file) => existsSync(file)), ...cached()];
  if (found === undefined && process.env.CI) throw new Error(`Tests: ${NO_BROWSER}`);
  return found;
}

export interface BrowserPage {
  /** What the page complained of: exceptions that nobody caught, and errors on its console. */
  readonly errors: readonly string[];
  /** The value of an expression, awaited where it is a promise. */
  evaluate<T>(expression: string): Promise<T>;
}

export interface Browser {
  /** A new page, once it is loaded. */
  open(url: string): Promise<BrowserPage>;
  close(): Promise<void>;
}

const FLAGS = [
  ...['--headless', '--remote-debugging-port=0', '--no-first-run', '--disable-gpu', '--disable-dev-shm-usage'],
  // It asks nobody but this machine.
  ...[
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  ],
];

export async function startBrowser(program: string): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), 'commonplace-browser-'));
  // Its sandbox refuses to work for root.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const child = spawn(program, [...FLAGS, ...sandbox, `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  const ended = once(child, 'close');
  const close = async () => {
    // Its group: the program may be a script that waits for the browser.
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const tools = await DevTools.connect(await addressOf(child.stderr, ended));
    return { open: (url) => openPage(tools, url), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** It says on standard error where its tools listen. */
async function addressOf(stderr: NodeJS.ReadableStream, ended: Promise<unknown>): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    stderr.setEncoding('utf8').on('data', (text: string) => {
      if (said.length < 100_000) said += text;
      const found = /DevTools listening on (ws:\/\/\S+)/.exec(said)?.[1];
      if (found) resolve(found);
    });
    ended.then(() => reject(new Error(`The browser ended before it listened: ${said}`)), reject);
  });
}

interface Thrown {
  readonly text?: string;
  readonly exception?: { readonly description?: string; readonly value?: unknown };
}

const messageOf = ({ text, exception }: Thrown) => exception?.description ?? String(exception?.value ?? text);

async function openPage(tools: DevTools, url: string): Promise<BrowserPage> {
  const { targetId } = await tools.send<{ targetId: string }>('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await tools.send<{ sessionId: string }>('Target.attachToTarget', { targetId, flatten: true });
  const ask = <T>(method: string, params: object = {}) => tools.send<T>(method, params, sessionId);
  const errors: string[] = [];
  const loaded = Promise.withResolvers<void>();
  tools.listen(sessionId, (method, params) => {
    if (method === 'Page.loadEventFired') loaded.resolve();
    if (method === 'Runtime.exceptionThrown') errors.push(messageOf((params as { exceptionDetails: Thrown }).exceptionDetails));
    if (method === 'Log.entryAdded') {
      const { entry } = params as { entry: { level: string; text: string; url?: string } };
      if (entry.level === 'error') errors.push(`${entry.text} ${entry.url ?? ''}`.trim());
    }
  });
  for (const domain of ['Page', 'Runtime', 'Log']) await ask(`${domain}.enable`);
  const { errorText } = await ask<{ errorText?: string }>('Page.navigate', { url });
  if (errorText) throw new Error(`${url}: ${errorText}`);
  await loaded.promise;
  return {
    errors,
    evaluate: async <T>(expression: string) => {
      const asked = { expression, awaitPromise: true, returnByValue: true };
      const { result, exceptionDetails } = await ask<{ result: { value: T }; exceptionDetails?: Thrown }>('Runtime.evaluate', asked);
      if (exceptionDetails) throw new Error(messageOf(exceptionDetails));
      return result.value;
    },
  };
}
