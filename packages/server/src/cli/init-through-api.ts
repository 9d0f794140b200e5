/** What `init` makes, through the API of a running service. */
import { grantablePermissions } from '@commonplace/contract/permissions';
import { programName } from './command.ts';
import { ACCOUNT_NAME, DEFAULT_EMAIL, KEY_NAME, type Made, type Named, type Wanted } from './init-plan.ts';

const LIMIT_MS = 30_000;
const PAGE = 100;

interface Item {
  readonly id: string;
  readonly name: string;
}

/** With the API key of the environment; without one, as the first account where there is none. */
export async function makeThroughApi(url: string, wanted: Wanted): Promise<Made> {
  const service = new Service(url, await authenticate(url, wanted));
  const workspaces = await service.list<Item & { role: string }>('/workspaces', 'workspaces');
  const workspace = await service.ensure(
    workspaces.filter(({ role }) => role === 'owner'),
    '/workspaces',
    { name: wanted.workspaceName },
  );
  const agents = `/workspaces/${workspace.id}/agents`;
  const agent = await service.ensure(await service.list(agents, 'agents'), agents, {
    name: wanted.agentName,
    configs: { memoryPipeline: true },
  });
  const newKey = { name: KEY_NAME, permissions: grantablePermissions };
  const { key } = await service.post<{ key: string }>(`/workspaces/${workspace.id}/keys`, newKey);
  return { workspace, agent, accessKey: key };
}

/** The headers that calls carry. */
async function authenticate(url: string, wanted: Wanted): Promise<Record<string, string>> {
  const apiKey = process.env.COMMONPLACE_API_KEY || process.env.COMMONPLACE_ADMIN_API_KEY;
  if (apiKey) return { 'x-api-key': apiKey };
  const account = { email: wanted.email ?? DEFAULT_EMAIL, password: wanted.password };
  const response = await send(`${url}/api/v1/auth/setup`, { body: JSON.stringify({ ...account, name: ACCOUNT_NAME }) });
  if (response.status === 409) {
    throw new Error(
      `${url} has accounts already: set COMMONPLACE_API_KEY to an API key of yours. ` +
        `With the service stopped, "${programName()} init" and "${programName()} key create" need none.`,
    );
  }
  await requireSuccess(response);
  wanted.announce(account);
  const cookie = response.headers.getSetCookie().map((each) => each.split(';')[0]);
  return { cookie: cookie.join('; '), 'sec-fetch-site': 'same-origin' };
}

class Service {
  readonly #url: string;
  readonly #headers: Record<string, string>;

  constructor(url: string, headers: Record<string, string>) {
    this.#url = `${url}/api/v1`;
    this.#headers = headers;
  }

  /** The one of that name, or a new one. */
  async ensure(found: readonly Item[], path: string, body: { readonly name: string; readonly configs?: object }): Promise<Named> {
    // The oldest, as lists have the newest first.
    const one = found.findLast(({ name }) => name === body.name.trim());
    return one ? { id: one.id, name: one.name, isNew: false } : { ...(await this.post<Item>(path, body)), isNew: true };
  }

  async list<Row = Item>(path: string, name: string): Promise<Row[]> {
    const rows: Row[] = [];
    for (;;) {
      const response = await send(`${this.#url}${path}?limit=${PAGE}&offset=${rows.length}`, { headers: this.#headers });
      const page = (await requireSuccess<Record<string, Row[]>>(response))[name] ?? [];
      rows.push(...page);
      if (page.length < PAGE) return rows;
    }
  }

  async post<Answer>(path: string, body: object): Promise<Answer> {
    return requireSuccess(await send(`${this.#url}${path}`, { headers: this.#headers, body: JSON.stringify(body) }));
  }
}

async function send(address: string, { headers, body }: { headers?: Record<string, string>; body?: string }): Promise<Response> {
  try {
    return await fetch(address, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body }),
      // A redirect would carry the key to wherever it leads.
      redirect: 'manual',
      signal: AbortSignal.timeout(LIMIT_MS),
    });
  } catch (cause) {
    throw new Error(`There is no answer from ${new URL(address).origin}. Is the service running there? --url names another address.`, {
      cause,
    });
  }
}

async function requireSuccess<Answer>(response: Response): Promise<Answer> {
  const answer = (await response.json().catch(() => ({}))) as Answer & { errorMessage?: string };
  if (response.ok) return answer;
  throw new Error(`${response.url} answered ${response.status}: ${answer.errorMessage ?? 'no Commonplace, or one that is older or newer'}`);
}
