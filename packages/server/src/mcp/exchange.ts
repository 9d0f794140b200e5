/** One JSON-RPC message in, one answer out: today’s protocol, in which each message stands alone, and the ones before it. */
import {
  createMcpHandler,
  isLegacyRequest,
  ProtocolErrorCode,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

export interface Exchanged {
  readonly status: number;
  /** Empty where there is nothing to say to a notification. */
  readonly text: string;
}

/** The headers that the protocol reads. */
const HEADERS = ['content-type', 'accept', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];

/** Later ones have no batches. */
const FIRST_VERSION_WITHOUT_BATCHES = '2025-06-18';
const MOST_IN_BATCH = 10;
const MOST_BATCH_CHARACTERS = 8 * 1024 * 1024;

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

export async function exchange(body: unknown, headers: Headers, newServer: () => Server): Promise<Exchanged> {
  if (!Array.isArray(body)) return exchangeOne(body, headers, newServer);
  const version = headers['mcp-protocol-version'];
  if (version !== undefined && String(version) >= FIRST_VERSION_WITHOUT_BATCHES)
    return refuse(400, ProtocolErrorCode.InvalidRequest, 'This version of the protocol has no batches: send one message at a time');
  if (body.length === 0 || body.length > MOST_IN_BATCH)
    return refuse(400, ProtocolErrorCode.InvalidRequest, `A batch has 1 to ${MOST_IN_BATCH} messages`);
  return exchangeBatch(body, headers, newServer);
}

/** One after the other, so that only their answers are held at once; and those only up to a size. */
async function exchangeBatch(messages: readonly unknown[], headers: Headers, newServer: () => Server): Promise<Exchanged> {
  const texts: string[] = [];
  let characters = 0;
  for (const message of messages) {
    const isFull = characters > MOST_BATCH_CHARACTERS;
    const { text } = isFull
      ? refuse(200, ProtocolErrorCode.InvalidRequest, 'The answers to this batch are too large: send this message alone', idOf(message))
      : await exchangeOne(message, headers, newServer);
    characters += text.length;
    if (text !== '') texts.push(text);
  }
  return texts.length === 0 ? { status: 202, text: '' } : { status: 200, text: `[${texts.join(',')}]` };
}

async function exchangeOne(body: unknown, headers: Headers, newServer: () => Server): Promise<Exchanged> {
  // Nothing here changes without being asked for, and a stream that tells nothing would be held open for ever.
  if (methodOf(body) === 'subscriptions/listen')
    return refuse(404, ProtocolErrorCode.MethodNotFound, 'There are no subscriptions here', idOf(body));
  const request = new Request('http://localhost/mcp', { method: 'POST', headers: protocolHeaders(headers) });
  const response = (await isLegacyRequest(request, body))
    ? await answerLegacy(body, request, newServer)
    : await createMcpHandler(newServer, { legacy: 'reject', maxSubscriptions: 0 }).fetch(request, { parsedBody: body });
  return { status: response.status, text: await response.text() };
}

/** A session of the older protocols is of no use to a server that keeps none: each message gets a server of its own. */
async function answerLegacy(body: unknown, request: Request, newServer: () => Server): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  const server = newServer();
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody: body });
  } finally {
    await server.close();
  }
}

export function refuse(status: number, code: number, message: string, id: string | number | null = null, data?: object): Exchanged {
  return { status, text: JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data && { data }) } }) };
}

function protocolHeaders(headers: Headers): Record<string, string> {
  const sent = Object.fromEntries(HEADERS.filter((name) => headers[name] !== undefined).map((name) => [name, String(headers[name])]));
  // The protocol wants clients to take a stream, too. Answers here are JSON, so whoever takes that is served: curl, say.
  const takesJson = sent.accept === undefined || /(^|[,\s])(application\/json|application\/\*|\*\/\*)/i.test(sent.accept);
  return takesJson ? { ...sent, accept: 'application/json, text/event-stream' } : sent;
}

function methodOf(message: unknown): unknown {
  return (message as { method?: unknown } | null)?.method;
}

function idOf(message: unknown): string | number | null {
  const id = (message as { id?: unknown } | null)?.id;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
