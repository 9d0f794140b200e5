/** How the pages are served: from memory, compressed, cached by their tag, and able to load nothing that is not ours. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../config.ts';
import { dashboardRoutes, PAGE_PATHS } from './dashboard.ts';
import { createServer } from './server.ts';

const INDEX = '<!doctype html><title>Pages</title>';
const SCRIPT = `console.log(${JSON.stringify('page '.repeat(200))});`;

let folder: string;
let server: FastifyInstance;

async function serverWith(folders?: string[]): Promise<FastifyInstance> {
  const made = await createServer(readConfig({}), pino({ level: 'silent' }));
  dashboardRoutes(made, pino({ level: 'silent' }), folders);
  return made;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'commonplace-pages-'));
  mkdirSync(join(folder, 'pages/assets'), { recursive: true });
  const files = { 'index.html': INDEX, 'assets/app-1234.js': SCRIPT, 'assets/app-1234.css': 'body{}', 'favicon.svg': '<svg/>' };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, 'pages', name), text);
  for (const name of ['index.html', 'assets/app-1234.js'] as const) {
    writeFileSync(join(folder, 'pages', `${name}.br`), brotliCompressSync(files[name]));
    writeFileSync(join(folder, 'pages', `${name}.gz`), gzipSync(files[name]));
  }
  writeFileSync(join(folder, 'pages/.sources'), 'not for the web');
  writeFileSync(join(folder, 'secret.js'), 'not for the web');
  server = await serverWith([join(folder, 'nowhere/'), join(folder, 'pages/')]);
});
afterAll(() => rmSync(folder, { recursive: true }));

const get = (url: string, headers: Record<string, string> = {}) => server.inject({ url, headers });
/** An address with something in the place of its parameters. */
const addressOf = (path: string) => path.replace(/:\w+/g, 'some').replace('*', 'deeper/still');

describe('what is served', () => {
  test.each(PAGE_PATHS)('%s is the page', async (path) => {
    const { statusCode, headers, body } = await get(addressOf(path));
    expect([statusCode, headers['content-type'], body]).toEqual([200, 'text/html; charset=utf-8', INDEX]);
    expect(headers['cache-control']).toBe('no-cache');
  });

  test.each([
    ['/assets/app-1234.js', 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
    ['/assets/app-1234.css', 'text/css; charset=utf-8', 'public, max-age=31536000, immutable'],
    ['/favicon.svg', 'image/svg+xml', 'no-cache'],
  ])('%s has its type, and lasts as long as its name says', async (url, type, caching) => {
    const { statusCode, headers } = await get(url);
    expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([200, type, caching]);
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  test.each([
    '/nowhere',
    '/assets/nothing.js',
    '/index.html',
    '/.sources',
    '/assets/app-1234.js.br',
    '/assets/../../secret.js',
    '/assets/..%2f..%2fsecret.js',
    '/assets/%2e%2e/%2e%2e/secret.js',
    '/api/v1/nowhere',
    '/docs/nowhere',
  ])('%s is not there, and says so as the API does', async (url) => {
    const { statusCode, headers, body } = await get(url);
    expect([statusCode, headers['content-type']]).toEqual([404, 'application/json; charset=utf-8']);
    expect(JSON.parse(body)).toMatchObject({ code: 'not_found', errorMessage: expect.any(String) });
    expect(body).not.toContain('not for the web');
  });

  test('a HEAD has the headers and no body', async () => {
    const { statusCode, headers, body } = await server.inject({ method: 'HEAD', url: '/assets/app-1234.js' });
    expect([statusCode, body]).toEqual([200, '']);
    expect(headers).toMatchObject({ 'content-length': String(SCRIPT.length), etag: (await get('/assets/app-1234.js')).headers.etag });
  });
});

describe('compression', () => {
  test.each([
    ['br', 'br'],
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['BR;q=0.0, GZIP;q=0.5', 'gzip'],
    ['br;q=0, gzip;q=0', undefined],
    ['identity', undefined],
    ['', undefined],
  ])('what accepts "%s" gets %s', async (accepted, encoding) => {
    const { headers, rawPayload } = await get('/assets/app-1234.js', { 'accept-encoding': accepted });
    const read = { br: brotliDecompressSync, gzip: gunzipSync }[encoding ?? ''] ?? ((bytes: Buffer) => bytes);
    expect([headers['content-encoding'], headers.vary, read(rawPayload).toString()]).toEqual([encoding, 'accept-encoding', SCRIPT]);
  });

  test('what is not there compressed is sent as it is', async () => {
    const { headers, body } = await get('/favicon.svg', { 'accept-encoding': 'br, gzip' });
    expect([headers['content-encoding'], body]).toEqual([undefined, '<svg/>']);
  });

  test('each form has a tag of its own, and 304 where the reader has it', async () => {
    const encodings = ['br', 'gzip', 'identity'];
    const tags = await Promise.all(encodings.map(async (each) => (await get('/', { 'accept-encoding': each })).headers.etag as string));
    expect(new Set(tags).size).toBe(3);
    for (const known of [tags[0], `W/${tags[0]}`, `"other", ${tags[0]}`, '*'] as string[]) {
      const { statusCode, headers, body } = await get('/', { 'accept-encoding': 'br', 'if-none-match': known });
      expect([statusCode, body, headers.etag]).toEqual([304, '', tags[0]]);
    }
    const other = await get('/', { 'accept-encoding': 'br', 'if-none-match': tags[1] as string });
    expect(other.statusCode).toBe(200);
  });
});

test('without a build, pages say what to do and all else works', async () => {
  server = await serverWith([join(folder, 'nowhere/')]);
  for (const path of PAGE_PATHS) {
    const { statusCode, body } = await get(addressOf(path));
    expect([statusCode, JSON.parse(body).errorMessage]).toEqual([404, expect.stringContaining('npm run build:dashboard')]);
  }
});

test('as it is built, nothing in the page is inline, from elsewhere, or allowed by the policy to be', async () => {
  server = await serverWith();
  const { headers, body } = await get('/docs');
  const policy = String(headers['content-security-policy']);
  expect(policy).not.toMatch(/unsafe|https?:|data:|\*/);
  for (const directive of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"])
    expect(policy.split('; ')).toContain(directive);
  expect(policy).toContain("require-trusted-types-for 'script'");
  expect(body).toContain('<div id="root">');
  expect(body).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|javascript:/i);
  const addresses = [...body.matchAll(/\s(?:src|href)="([^"]*)"/g)].map(([, address]) => address as string);
  expect(addresses.length).toBeGreaterThan(3);
  for (const address of addresses) {
    expect(address).toMatch(/^\/[^/]/);
    expect((await get(address)).statusCode).toBe(200);
  }
});
