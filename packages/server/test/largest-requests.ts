/** The largest request that a declared route takes and carries out: its schema filled, with what it names put in. */
import type { DeclaredRoute } from '../src/http/route.ts';
import { largestBody, largestForm, largestQuery } from './largest-inputs.ts';
import { pathOf } from './matrix-paths.ts';
import { agentLine, endLine, header, LINES, messageLine, sessionLine, streamOf } from './transfer-lines.ts';

/** What texts are made of: letters, lines, signs of which each is a word, sentences, placeholders. */
export const FILLS = ['x', 'x\n', '漢', 'I am 5. ', '{{v}}'] as const;
export type Fill = (typeof FILLS)[number];

export interface LargestRequest {
  readonly method: DeclaredRoute['method'];
  /** Below /api/v1, with the query. */
  readonly path: string;
  readonly type: string | undefined;
  readonly body: string | undefined;
}

/** Asks as the one who owns the items; `path` is below /api/v1. */
// biome-ignore lint/suspicious/noExplicitAny: read field by field.
export type Ask = (method: 'GET' | 'POST', path: string, body?: object) => Promise<{ readonly status: number; readonly body: any }>;

let count = 0;

/** `items` are values of path parameters that name something. Some routes need more of it than there is; it is made. */
export async function largestRequestTo(
  route: DeclaredRoute,
  items: Readonly<Record<string, string>>,
  fill: Fill,
  ask: Ask,
): Promise<LargestRequest> {
  const { params, fields } = await named(route, items, fill, ask);
  const filling = { fill, fields: { ...fieldsFor(items), ...fields } };
  // The first page is the fullest, and has no cursor.
  const query = largestQuery(route, filling).replace(/(^|&)cursor=[^&]*/, '');
  const form = largestForm(route, filling);
  const lines = route.receives && largeSession(fill);
  const body = form?.text ?? lines ?? largestBody(route, filling);
  const type = body === undefined ? undefined : (form?.type ?? (lines ? LINES['content-type'] : 'application/json'));
  return { method: route.method, path: `${pathOf(route, params)}${query && `?${query}`}`, type, body };
}

/** What has no largest: as much as the largest of other bodies, in the largest texts. */
function largeSession(fill: Fill): string {
  const [agent, texts] = [agentLine(), Array.from({ length: 8 }, () => fill.repeat(Math.floor(900_000 / Buffer.byteLength(fill))))];
  const session = sessionLine(agent.data.id);
  const messages = texts.map((text) => messageLine(session.data.id, text));
  return streamOf([header(), agent, session, ...messages, endLine('session', session.data.id, messages.length)]);
}

/** Fields whose largest value would be refused for another reason than its size. */
function fieldsFor(items: Readonly<Record<string, string>>): Record<string, unknown> {
  const unique = `number ${process.pid} ${++count}`;
  return {
    name: unique,
    email: `${unique.replaceAll(' ', '-')}@example.com`,
    inviteToken: null,
    expiresAt: '2099-01-01T00:00:00Z',
    // Nearly a thousand hours.
    since: '2026-01-15T09:30:00Z',
    until: '2026-02-25T09:30:00Z',
    promptId: items.promptId,
    messageId: items.messageId,
    agentIds: [items.agentId],
    type: 'text',
    version: 'latest',
  };
}

async function named({ method, path }: DeclaredRoute, items: Readonly<Record<string, string>>, fill: Fill, ask: Ask) {
  const params: Record<string, string> = { ...items };
  const fields: Record<string, unknown> = {};
  const workspace = `/workspaces/${items.workspaceId}`;
  const newVersion = async (content: string): Promise<string> =>
    (await ask('POST', `${workspace}/prompts/${items.promptId}/versions`, { type: 'text', content })).body.id;
  if (path.includes(':otherVersionId')) {
    // No line of one is in the other.
    const lines = (letter: string) => Array.from({ length: 90_000 }, (_, index) => `${letter}${index}`).join('\n');
    params.promptVersionId = await newVersion(lines('a'));
    params.otherVersionId = await newVersion(lines('b'));
  }
  if (path.endsWith('/render') && fill === '{{v}}') {
    await newVersion(fill.repeat(190_000));
    fields.variables = { v: 'words' };
  }
  if (path.includes(':receiptId')) params.receiptId = (await ask('POST', `${workspace}/forget`, { labels: { user: 'nobody' } })).body.id;
  if (path.includes(':deliveryId')) params.deliveryId = (await ask('POST', `${workspace}/webhooks/${items.webhookId}/test`)).body.id;
  // Of all that is there.
  if (path.endsWith('/events')) Object.assign(fields, { after: '', sessionId: items.sessionId });
  if (path.includes(':auditId')) params.auditId = (await ask('GET', `${workspace}/audits?limit=1`)).body.audits[0].id;
  // A fork is a new session; a prompt that is changed keeps the name by which it is found.
  if (path.endsWith('/fork')) fields.id = `fork ${process.pid} ${++count}`;
  if (method === 'PUT' && path.endsWith('/prompts/:promptId')) fields.name = items.promptName;
  if (method === 'POST' && path.endsWith('/documents')) fields.labels = 'topic=tea';
  if (method === 'DELETE' && path.endsWith('/batch')) {
    const { body } = await ask('GET', `${pathOf({ path: path.replace('/batch', '') }, params)}?limit=100`);
    fields.ids = (body.messages ?? body.memories).map(({ id }: { id: string }) => id);
  }
  return { params, fields };
}
