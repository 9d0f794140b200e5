/** The packed package, installed in an empty folder and used for a while: in Node 20 and later, Bun, Deno, and in a page of a browser. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { findBrowser, NO_BROWSER, startBrowser } from '../../server/test/browser.ts';
import { runProgram } from '../../server/test/cached-folder.ts';
import { bundleFor } from './bundle.ts';
import type { Scene } from './everyday-use.ts';
import { type Fault, startFaultProxy, unusedUrl } from './fault-proxy.ts';
import { installPackedClient, type PackedClient } from './packed-client.ts';
import { findRuntime, type RuntimeName, runtimeNames } from './runtimes.ts';
import { type StartedService, startService } from './service.ts';

const HANDBOOK = '# Handbook\n\nThe warranty of an oven is five years.';
const program = stripTypeScriptTypes(readFileSync(new URL('everyday-use.ts', import.meta.url), 'utf8'));

let packed: PackedClient;
let pages: Server;
let started: StartedService;

beforeAll(async () => {
  packed = installPackedClient();
  writeFileSync(join(packed.user, 'handbook.md'), HANDBOOK);
  writeFileSync(join(packed.user, 'everyday-use.js'), program);
  pages = createServer(({ url }, response) => serveFile(url ?? '/', response));
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
  // The pages are of another origin than the service, as those of whoever builds one.
  started = await startService('sqlite', { COMMONPLACE_CORS_ORIGINS: pageOrigin() });
});
afterAll(async () => {
  await started?.end();
  pages?.close();
  packed?.remove();
});

const pageOrigin = () => `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;

const types: Readonly<Record<string, string>> = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8' };

function serveFile(url: string, response: import('node:http').ServerResponse): void {
  try {
    const file = join(packed.user, new URL(url, 'http://page').pathname);
    response.writeHead(200, { 'content-type': types[extname(file)] ?? 'text/plain' }).end(readFileSync(file));
  } catch {
    response.writeHead(404).end();
  }
}

/** What the program works on, by way of a network that loses the answer of the first write; and who said to call. */
async function prepareScene(
  label: string,
): Promise<{ scene: Omit<Scene, 'handbook'>; callers: Set<string | undefined>; lost: () => number }> {
  const { url, workspaceId, accessKey, admin } = started.service;
  const { id: agentId } = await admin.workspace(workspaceId).agents.create({ name: label });
  const callers = new Set<string | undefined>();
  let lost = 0;
  const proxy = await startFaultProxy(url, ({ method, headers, url: path }): Fault | undefined => {
    if (method === 'OPTIONS') return undefined;
    callers.add((headers['x-commonplace-client'] ?? headers['user-agent']) as string | undefined);
    if (lost > 0 || method !== 'POST' || !path?.endsWith('/messages')) return undefined;
    lost++;
    return 'reset after it was done';
  });
  onTestFinished(() => proxy.close());
  return { scene: { options: { baseUrl: proxy.url, accessKey }, agentId, label, nowhere: await unusedUrl() }, callers, lost: () => lost };
}

const expected = {
  isSame: true,
  hasRequestId: true,
  found: 'My budget for the oven is £5k',
  contents: ['My budget for the oven is £5k', 'Noted.', 'A gas one, please.'],
  told: ['Noted.', 'A gas one, please.'],
  inContext: true,
  titles: ['handbook.md', 'delivery.md', 'again.md'],
  progress: [0, 1],
  passage: 'handbook.md',
  isStored: true,
  refused: ['Name is required', 'name', 'string'],
  isAbort: true,
  isUnanswered: true,
};

async function commandOf(name: string): Promise<readonly string[] | { readonly missing: string }> {
  return name === 'this Node' ? [process.execPath] : findRuntime(name as RuntimeName);
}

test.for(['this Node', ...runtimeNames])('it works in %s', async (name, context) => {
  const command = await commandOf(name);
  if ('missing' in command) {
    console.warn(`Tests: the client is not tried in ${name}: ${command.missing}`);
    return context.skip(command.missing);
  }
  const { scene, callers, lost } = await prepareScene(name);
  const file = join(packed.user, `${name.replace(' ', '-')}.js`);
  const given: Scene = { ...scene, handbook: 'handbook.md' };
  writeFileSync(
    file,
    `import Default, { Commonplace } from '@commonplace/client';
     import { useClient } from './everyday-use.js';
     const { options, ...scene } = ${JSON.stringify(given)};
     console.log(JSON.stringify({ ...(await useClient(Commonplace, { ...scene, options: {} })), isDefault: Default === Commonplace }));`,
  );
  // By the environment, as programs are told.
  const env = { COMMONPLACE_URL: scene.options.baseUrl as string, COMMONPLACE_ACCESS_KEY: scene.options.accessKey as string };
  const [runtime, ...args] = command as readonly [string, ...string[]];
  const said = await runProgram(runtime, [...args, file], { cwd: packed.user, env });
  expect(JSON.parse(said)).toEqual({ ...expected, isDefault: true });
  expect([...callers]).toEqual([expect.stringMatching(/^commonplace-client\/\d/)]);
  expect(lost()).toBe(1);
  return undefined;
});

test.for(['this Node', 'Node 20'])('a program in CommonJS requires it, in %s', async (name, context) => {
  const command = await commandOf(name);
  if ('missing' in command) return context.skip(command.missing);
  const file = join(packed.user, 'common.cjs');
  writeFileSync(
    file,
    `const { Commonplace, VERSION } = require('@commonplace/client'); console.log(new Commonplace().agent('a') && VERSION);`,
  );
  expect(await runProgram(command[0] as string, ['--no-warnings', file], { cwd: packed.user })).toMatch(/^\d+\.\d+\.\d+\n$/);
  return undefined;
});

test.for(['as modules', 'bundled'])('it works in a page of a browser, %s', async (form, context) => {
  const browser = findBrowser();
  if (browser === undefined) {
    console.warn(`Tests: the client is not tried in a browser: ${NO_BROWSER}`);
    return context.skip(NO_BROWSER);
  }
  const { scene, callers, lost } = await prepareScene(`page ${form}`);
  const source = form === 'bundled' ? '/bundle.js' : '/node_modules/@commonplace/client/index.js';
  if (form === 'bundled') writeFileSync(join(packed.user, 'bundle.js'), await bundleFor(packed.user));
  const imports = JSON.stringify({ imports: { '@commonplace/client': source } });
  writeFileSync(
    join(packed.user, 'page.html'),
    `<!doctype html><link rel="icon" href="data:,"><script type="importmap">${imports}</script>
     <script type="module">
       import { Commonplace } from '@commonplace/client';
       import { useClient } from './everyday-use.js';
       const handbook = new File([${JSON.stringify(HANDBOOK)}], 'handbook.md');
       globalThis.used = useClient(Commonplace, { ...${JSON.stringify(scene)}, handbook });
       globalThis.byPath = new Commonplace(${JSON.stringify(scene.options)}).documents.upload('handbook.md').catch((error) => error.message);
     </script>`,
  );
  const running = await startBrowser(browser);
  onTestFinished(() => running.close());
  const page = await running.open(`${pageOrigin()}/page.html`);
  expect(await page.evaluate('used')).toEqual(expected);
  expect(await page.evaluate('byPath')).toContain('A path can be read in Node, Bun and Deno only');
  expect([...callers]).toEqual([expect.stringMatching(/^commonplace-client\/\d/)]);
  expect(lost()).toBe(1);
  // The browser itself tells of each answer that is no success, and of the module that reads paths elsewhere.
  expect(page.errors.filter((error) => !/^Failed to load resource|'node:fs'/.test(error))).toEqual([]);
  return undefined;
});
