/** The dashboard: files that packages/dashboard was built into, read once at start and answered from memory. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { AppError } from '../errors.ts';

/** Where pages are; the app in the browser tells them apart further. A test holds that it knows no others. */
export const PAGE_PATHS = [
  '/',
  '/sign-in',
  '/register',
  '/set-up',
  '/invites/:token',
  '/docs',
  '/docs/',
  '/account',
  '/w/:workspaceId',
  '/w/:workspaceId/*',
];

const NOT_BUILT = 'The dashboard is not built. Run `npm run build:dashboard`, then start the service again. The API works without it.';

/** In the published package beside this file, else where the build puts it. */
const FOLDERS = ['./dashboard/', '../../../dashboard/dist/'].map((path) => fileURLToPath(new URL(path, import.meta.url)));

/** Their names carry a hash of what is in them. */
const ASSETS = 'assets';

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The best first. */
const ENCODINGS = [
  { name: 'br', extension: '.br' },
  { name: 'gzip', extension: '.gz' },
] as const;

class Variant {
  readonly body: Buffer;
  readonly encoding: string | undefined;
  #etag: string | undefined;

  constructor(body: Buffer, encoding: string | undefined) {
    this.body = body;
    this.encoding = encoding;
  }

  /** Computed when it is first asked for: most files are not. */
  get etag(): string {
    this.#etag ??= `"${createHash('sha256').update(this.body).digest('base64url').slice(0, 22)}"`;
    return this.#etag;
  }
}

interface PageFile {
  readonly variants: readonly Variant[];
  readonly headers: Readonly<Record<string, string>>;
}

/** The folder of the pages; undefined where they are not built. */
export function findDashboard(folders: readonly string[] = FOLDERS): string | undefined {
  return folders.find((path) => existsSync(join(path, 'index.html')));
}

export function dashboardRoutes(server: FastifyInstance, log: Logger, folders = FOLDERS): void {
  const folder = findDashboard(folders);
  if (!folder) {
    log.warn(NOT_BUILT);
    for (const url of PAGE_PATHS)
      server.get(url, () => {
        throw new AppError('not_found', NOT_BUILT);
      });
    return;
  }
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'));
  const assets = new Map<string, PageFile>();
  for (const name of names) {
    if (TYPES[extname(name)] === undefined || name === 'index.html') continue;
    const file = readPageFile(folder, name);
    if (posix.dirname(name) === ASSETS) assets.set(posix.basename(name), file);
    else serve(server, `/${name}`, file);
  }
  // One route for all of them: a route takes more memory than most of these files.
  server.get<{ Params: { name: string } }>(`/${ASSETS}/:name`, (request, reply) => {
    const file = assets.get(request.params.name);
    return file ? send(request, reply, file) : reply.callNotFound();
  });
  const index = readPageFile(folder, 'index.html');
  for (const url of PAGE_PATHS) serve(server, url, index);
}

function readPageFile(folder: string, name: string): PageFile {
  const variants = [undefined, ...ENCODINGS].flatMap((encoding): Variant[] => {
    const file = join(folder, name) + (encoding?.extension ?? '');
    if (!existsSync(file)) return [];
    return [new Variant(readFileSync(file), encoding?.name)];
  });
  const lasting = name.startsWith(`${ASSETS}/`);
  return {
    variants,
    headers: {
      'content-type': TYPES[extname(name)] as string,
      'cache-control': lasting ? 'public, max-age=31536000, immutable' : 'no-cache',
      // What can be opened by itself; a script or a style follows the policy of its page.
      ...(isDocument(name) && {
        'content-security-policy': CONTENT_SECURITY_POLICY,
        'permissions-policy': 'camera=(), geolocation=(), microphone=()',
      }),
      vary: 'accept-encoding',
    },
  };
}

function isDocument(name: string): boolean {
  return ['.html', '.svg'].includes(extname(name));
}

function serve(server: FastifyInstance, url: string, file: PageFile): void {
  server.get(url, (request, reply) => send(request, reply, file));
}

function send(request: FastifyRequest, reply: FastifyReply, { variants, headers }: PageFile): FastifyReply {
  const accepted = acceptedEncodings(request.headers['accept-encoding']);
  const best = ENCODINGS.map(({ name }) => name).find((name) => accepted.has(name) && variants.some(({ encoding }) => encoding === name));
  const { body, etag, encoding } = variants.find((variant) => variant.encoding === best) as Variant;
  reply.headers({ ...headers, etag, ...(encoding && { 'content-encoding': encoding }) });
  return isFresh(request.headers['if-none-match'], etag) ? reply.code(304).send() : reply.send(body);
}

/** Those named, but for what `;q=0` rules out. */
function acceptedEncodings(header: string | undefined): Set<string> {
  const entries = (header ?? '').split(',').map((entry) => entry.split(';').map((part) => part.trim().toLowerCase()));
  return new Set(entries.filter(([, weight]) => !/^q=0(?:\.0*)?$/.test(weight ?? '')).map(([name]) => name as string));
}

/** Whether an `If-None-Match` names this entity. Proxies that compress on the way make a strong tag a weak one. */
function isFresh(ifNoneMatch: string | undefined, etag: string): boolean {
  return ifNoneMatch?.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim())) ?? false;
}
