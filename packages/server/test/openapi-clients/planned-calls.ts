/** One successful call of every operation: what a generated client is asked to do. */
import { hashPassword } from '../../src/auth/passwords.ts';
import { type DeclaredRoute, paramNamesOf } from '../../src/http/route.ts';
import { type Client, made, type TestApi } from '../api.ts';
import { bodyExamples, type Examples, type FurnishedScene, formOf, newFurnishedScene } from '../matrix-items.ts';

export interface PlannedCall {
  /** Of the service to ask. */
  readonly url: string;
  readonly operationId: string;
  readonly tag: string;
  readonly method: string;
  /** As the document has it: `/api/v1/workspaces/{workspaceId}`. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** Query keys that are labels. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly form?: Readonly<Record<string, string>>;
  /** Lines, of the type that the document says. */
  readonly lines?: { readonly text: string; readonly type: string };
  readonly apiKey?: string;
  readonly status: number;
}

/** Of the session that is there: those of the document’s example. */
const LABELS = { customer: '42' };

/** What an operation needs beyond the examples of the document. */
interface Needs {
  readonly body?: Record<string, unknown>;
  readonly lines?: string;
  readonly params?: Record<string, string>;
  readonly query?: Record<string, string>;
  readonly by?: Client;
}

/** Those of a service that nobody uses yet: the first account can be made only there. */
const FIRST_CALLS = ['setUp', 'logIn', 'register'];

export async function planCalls(api: TestApi, url: string, emptyUrl: string): Promise<PlannedCall[]> {
  const examples = await bodyExamples(api);
  const { routes } = api.app.api;
  const first = FIRST_CALLS.map((name) => routes.find((route) => route.name === name) as DeclaredRoute);
  const calls = first.map((route) => ({ url: emptyUrl, ...plan(route, examples, undefined, {}) }));
  for (const route of routes) {
    if (FIRST_CALLS.includes(route.name)) continue;
    const scene = await newFurnishedScene(api, examples);
    calls.push({ url, ...plan(route, examples, scene, await needsOf(api, route, scene)) });
  }
  return calls;
}

function plan(route: DeclaredRoute, examples: Examples, scene: FurnishedScene | undefined, needs: Needs): Omit<PlannedCall, 'url'> {
  const items = { ...scene?.items, ...needs.params };
  const params = Object.fromEntries(
    paramNamesOf(route.path).map((name) => {
      const value = items[name] ?? (name === 'otherVersionId' ? items.promptVersionId : undefined);
      if (value === undefined) throw new Error(`Nothing is there for the path parameter “${name}” of ${route.name}`);
      return [name, value];
    }),
  );
  const body = needs.body ?? examples.get(`${route.method} ${route.path}`);
  const isPublic = route.access.who === 'public';
  return {
    operationId: route.name,
    tag: route.tag,
    method: route.method,
    path: `/api/v1${route.path.replace(/:(\w+)/g, '{$1}')}`,
    params,
    ...(/sessions(\/by-labels)?$/.test(route.path) && { labels: route.name === 'createSession' ? { channel: 'mail' } : LABELS }),
    ...(needs.query && { query: needs.query }),
    ...(body && { body }),
    ...(route.receives && needs.lines !== undefined && { lines: { text: needs.lines, type: route.receives.contentType } }),
    ...(route.upload && { form: { title: 'Notes', file: 'Some text.', labels: 'lang=en,public' } }),
    ...(!isPublic && { apiKey: (needs.by ?? scene?.workspace.owner)?.headers['x-api-key'] as string }),
    status: route.answers.status,
  };
}

async function needsOf(api: TestApi, route: DeclaredRoute, { workspace, people, items }: FurnishedScene): Promise<Needs> {
  switch (route.name) {
    case 'deleteDocumentByExternalId': {
      const fields = { title: 'Notes', externalId: 'notes' };
      const parts = Object.entries(fields).map(([name, content]) => ({ name, content }));
      const form = formOf([...parts, { name: 'file', filename: 'notes.txt', content: 'Some text.' }]);
      made(await workspace.owner.post(`${workspace.url}/documents`, form.text, { 'content-type': form.type }));
      return { query: { externalId: fields.externalId } };
    }
    case 'retryJob': {
      const form = formOf([
        { name: 'title', content: 'Nothing' },
        { name: 'file', filename: 'nothing.txt', content: ' ' },
      ]);
      made(await workspace.owner.post(`${workspace.url}/documents`, form.text, { 'content-type': form.type }));
      await api.drainJobs();
      return { params: { jobId: (await workspace.owner.get(`${workspace.url}/jobs?status=failed`)).body.jobs[0].id } };
    }
    case 'redeliver':
      return { params: { deliveryId: (await workspace.owner.post(`${workspace.url}/webhooks/${items.webhookId}/test`)).body.id } };
    case 'getWorkspaceSeries':
      return { query: { metric: 'memories' } };
    case 'createInvite':
      return { body: { email: 'alan@example.com', role: 'readonly' } };
    case 'createPrompt':
      return { body: { name: 'Farewell', type: 'text', content: 'Goodbye {{name}}!' } };
    case 'deleteMessages':
      return { body: { ids: [items.messageId] } };
    case 'deleteMemories':
      return { body: { ids: [items.memoryId] } };
    case 'forkSession':
      return { body: { messageId: items.messageId, id: 'chat-17-b' } };
    case 'acceptInvite':
    case 'rejectInvite': {
      const { token } = made(await workspace.owner.post(`${workspace.url}/invites`, { email: people.stranger.email, role: 'readonly' }));
      return { params: { token }, by: people.stranger.client };
    }
    case 'importWorkspace':
      return { lines: (await workspace.owner.get(`${workspace.url}/export`)).text };
    case 'getReceipt':
      return { params: { receiptId: (await workspace.owner.post(`${workspace.url}/forget`, { labels: { user: 'nobody' } })).body.id } };
    case 'getAudit':
      return { params: { auditId: (await workspace.owner.get(`${workspace.url}/audits`)).body.audits[0].id } };
    case 'getApiKey':
    case 'deleteApiKey':
      return { params: { apiKeyId: made(await workspace.owner.post('/apiKeys', { name: 'Another' })).id } };
    case 'deleteMe':
      return { by: (await api.newUser()).client };
    case 'changePassword':
      return { by: (await api.newUser('Somebody', await hashPassword('a long and unusual phrase'))).client };
    default:
      return {};
  }
}
