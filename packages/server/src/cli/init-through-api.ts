/** What `init` makes, through the API of a running service. */
import { APIConnectionError, type ClientOptions, Commonplace, ConflictError, type Permission } from '@commonplace/client';
import { grantablePermissions } from '@commonplace/contract/permissions';
import { programName } from './command.ts';
import { ACCOUNT_NAME, DEFAULT_EMAIL, type InitItem, type InitRequest, type InitResult, KEY_NAME } from './init-plan.ts';

const PAGE = 100;

/** With the API key of the environment; without one, as the first account where there is none. */
export async function initThroughApi(url: string, request: InitRequest): Promise<InitResult> {
  const options = { baseUrl: url, timeoutMs: 30_000, maxRetries: 0 };
  try {
    return await makeItems(new Commonplace({ ...options, ...(await authenticate(options, request)) }), request);
  } catch (cause) {
    if (!(cause instanceof APIConnectionError)) throw cause;
    throw new Error(`There is no answer from ${url}. Is the service running there? --url names another address.`, { cause });
  }
}

async function makeItems(client: Commonplace, { workspaceName, agentName }: InitRequest): Promise<InitResult> {
  const owned = await findNamed(client.workspaces.list({ limit: PAGE }), workspaceName, ({ role }) => role === 'owner');
  const workspace = owned ?? { ...(await client.workspaces.create({ name: workspaceName })), isNew: true };
  const { agents, accessKeys } = client.workspace(workspace.id);
  const agent = (await findNamed(agents.list({ limit: PAGE }), agentName)) ?? {
    ...(await agents.create({ name: agentName, configs: { memoryPipeline: true } })),
    isNew: true,
  };
  const { key } = await accessKeys.create({ name: KEY_NAME, permissions: grantablePermissions as Permission[] });
  return { workspace, agent, accessKey: key };
}

/** What proves who calls: an API key, or the cookie of the account that is made. */
async function authenticate(options: ClientOptions, request: InitRequest): Promise<ClientOptions> {
  const apiKey = process.env.COMMONPLACE_API_KEY || process.env.COMMONPLACE_ADMIN_API_KEY;
  if (apiKey) return { apiKey };
  const account = { email: request.email ?? DEFAULT_EMAIL, password: request.password };
  try {
    const { response } = await new Commonplace(options).auth.setUp({ ...account, name: ACCOUNT_NAME }).withResponse();
    request.announce(account, `the service at ${options.baseUrl}`);
    const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
    return { defaultHeaders: { cookie: cookies.join('; '), 'sec-fetch-site': 'same-origin' } };
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    throw new Error(
      `${options.baseUrl} has accounts already: set COMMONPLACE_API_KEY to an API key of yours. ` +
        `With the service stopped, "${programName()} init" and "${programName()} key create" need none.`,
    );
  }
}

/** The oldest of that name: lists have the newest first. */
async function findNamed<Item extends { readonly id: string; readonly name: string }>(
  items: AsyncIterable<Item>,
  name: string,
  isFit: (item: Item) => boolean = () => true,
): Promise<InitItem | undefined> {
  let found: InitItem | undefined;
  for await (const item of items) if (item.name === name.trim() && isFit(item)) found = { id: item.id, name: item.name, isNew: false };
  return found;
}
