/** Somebody who sends bad requests: an account with a workspace and one of everything in it, beside a stranger. */
import { grantablePermissions } from '@commonplace/contract/permissions';
import type { BadRequest } from '../../packages/server/test/matrix-bad-requests.ts';
import { type Examples, furnish } from '../../packages/server/test/matrix-items.ts';
import { titleOf } from '../../packages/server/test/matrix-paths.ts';
import type { PublishedRoute } from './openapi.ts';

export interface Scene {
  /** The header that each kind of caller sends. */
  readonly credentials: Readonly<Record<BadRequest['credential'], Readonly<Record<string, string>>>>;
  readonly items: Readonly<Record<string, string>>;
}

/** Scenes are worn by what succeeds; a new one costs two passwords. */
const REQUESTS_BETWEEN_SCENES = 1_000;

/** A scene that several connections use, replaced by a new one when too much in it is gone. */
export class SceneHolder {
  readonly #url: string;
  readonly #routes: readonly PublishedRoute[];
  #scene: Promise<Scene> | undefined;
  #isWorn = false;
  #requests = 0;

  constructor(url: string, routes: readonly PublishedRoute[]) {
    this.#url = url;
    this.#routes = routes;
  }

  /** For so many requests. */
  current(requests: number): Promise<Scene> {
    if (!this.#scene || (this.#isWorn && this.#requests >= REQUESTS_BETWEEN_SCENES)) {
      this.#scene = newScene(this.#url, this.#routes);
      this.#isWorn = false;
      this.#requests = 0;
    }
    this.#requests += requests;
    return this.#scene;
  }

  wear(): void {
    this.#isWorn = true;
  }
}

const PASSWORD = 'a long and unusual phrase';
let people = 0;

/** The account comes from an address of its own: registration is limited for each. */
export async function newScene(url: string, routes: readonly PublishedRoute[]): Promise<Scene> {
  const [owner, stranger] = [await newPerson(url), await newPerson(url)];
  const workspace = await post(url, owner.key, '/workspaces', { name: 'Soak' });
  const given = { workspaceId: String(workspace.body.id), userId: owner.id };
  const examples: Examples = new Map(routes.flatMap((route) => (route.example ? [[titleOf(route), route.example]] : [])));
  const items = await furnish(routes, examples, given, (path, payload, headers) => post(url, owner.key, path, payload, headers));
  const key = await post(url, owner.key, `/workspaces/${given.workspaceId}/keys`, { name: 'soak', permissions: grantablePermissions });
  return {
    items,
    credentials: {
      owner: owner.key,
      stranger: stranger.key,
      browser: owner.browser,
      'access key': { 'x-access-key': String(key.body.key) },
      none: {},
    },
  };
}

async function newPerson(url: string) {
  const number = ++people;
  const address = { 'x-forwarded-for': `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}` };
  const account = { email: `soak-${number}@example.com`, name: 'Soak', password: PASSWORD };
  const registered = await post(url, address, '/auth/register', account);
  const cookie = registered.cookie.split(';')[0] as string;
  const browser = { cookie, 'sec-fetch-site': 'same-origin' };
  const { body } = await post(url, browser, '/apiKeys', { name: 'soak' });
  return { id: String((registered.body.user as unknown as { id: string }).id), browser, key: { 'x-api-key': String(body.key) } };
}

async function post(url: string, credential: Record<string, string>, path: string, payload: unknown, headers: Record<string, string> = {}) {
  const answer = await fetch(`${url}/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...credential, ...headers },
    ...(payload !== undefined && { body: typeof payload === 'string' ? payload : JSON.stringify(payload) }),
  });
  const text = await answer.text();
  if (answer.status >= 500 || answer.status === 401) throw new Error(`POST ${path}: ${answer.status} ${text}`);
  return {
    status: answer.status,
    body: (text === '' ? {} : JSON.parse(text)) as Record<string, string>,
    cookie: answer.headers.get('set-cookie') ?? '',
  };
}
