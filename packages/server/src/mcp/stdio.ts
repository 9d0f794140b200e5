/** MCP over lines of standard input and output: each message goes to /mcp as it is, and its answer comes back as a line. */
import type { Readable, Writable } from 'node:stream';

export interface Posted {
  readonly status: number;
  readonly text: string;
}

/** Sends one message to /mcp. Throws where nothing answers, with a sentence for the person who set it up. */
export type Post = (message: string, headers: Readonly<Record<string, string>>) => Promise<Posted>;

/** A little more than /mcp takes: what is larger is told so by the service. */
const LONGEST_LINE_BYTES = 12 * 1024 * 1024;
const MOST_AT_ONCE = 16;

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const NAMED_BY: Readonly<Record<string, string>> = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' };

interface Message {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** Until the input ends and what came in is answered. */
export async function serveStdio(input: Readable, output: Writable, post: Post): Promise<void> {
  const forwarding = new Forwarding(output, post);
  for await (const line of linesOf(input)) await forwarding.take(line);
  await forwarding.finish();
}

class Forwarding {
  readonly #output: Writable;
  readonly #post: Post;
  readonly #underWay = new Set<Promise<void>>();
  /** As agreed by the handshake that older protocols begin with. */
  #version: string | undefined;

  constructor(output: Writable, post: Post) {
    this.#output = output;
    this.#post = post;
  }

  /** Resolves when the next line may come. */
  async take(line: string | undefined): Promise<void> {
    if (line === undefined) return this.#write(failure(null, -32600, 'The message is too long'));
    if (line.trim() === '') return;
    let message: Message;
    try {
      message = JSON.parse(line) as Message;
    } catch {
      return this.#write(failure(null, -32700, 'The line is not valid JSON'));
    }
    if (typeof message !== 'object' || message === null) return this.#write(failure(null, -32600, 'A message is a JSON object'));
    const answering = this.#forward(line, message).finally(() => this.#underWay.delete(answering));
    this.#underWay.add(answering);
    // What follows the handshake carries the version that it agrees on.
    if (message.method === 'initialize') await answering;
    else if (this.#underWay.size >= MOST_AT_ONCE) await Promise.race(this.#underWay);
  }

  async finish(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  async #forward(line: string, message: Message): Promise<void> {
    const id = message.id;
    let answer: string;
    try {
      const { status, text } = await this.#post(line, this.#headersOf(message));
      answer = text === '' && status < 300 ? '' : answerOf(id, status, text);
    } catch (error) {
      answer = failure(id, -32603, (error as Error).message);
    }
    if (message.method === 'initialize') this.#version = versionIn(answer) ?? this.#version;
    // A notification is never answered.
    if (answer !== '' && (id !== undefined || Array.isArray(message))) await this.#write(answer);
  }

  #headersOf(message: Message): Record<string, string> {
    const { method, params } = message;
    const meta = params?._meta as Readonly<Record<string, unknown>> | undefined;
    const version = meta?.[VERSION_KEY] ?? (method === 'initialize' ? undefined : this.#version);
    const name = params?.[NAMED_BY[method ?? ''] ?? ''];
    return {
      ...(version !== undefined && { 'mcp-protocol-version': headerText(String(version)) }),
      ...(method !== undefined && { 'mcp-method': headerText(String(method)) }),
      ...(typeof name === 'string' && { 'mcp-name': headerText(name) }),
    };
  }

  #write(text: string): Promise<void> {
    return new Promise((resolve) => this.#output.write(`${text}\n`, () => resolve()));
  }
}

/** One line each; undefined for one that is too long, which is read past. */
async function* linesOf(input: Readable): AsyncGenerator<string | undefined> {
  let parts: Buffer[] = [];
  let bytes = 0;
  const taken = () => {
    const line = bytes > LONGEST_LINE_BYTES ? undefined : Buffer.concat(parts).toString();
    parts = [];
    bytes = 0;
    return line;
  };
  const keep = (part: Buffer) => {
    bytes += part.length;
    if (bytes <= LONGEST_LINE_BYTES) parts.push(part);
    else parts = [];
  };
  for await (const chunk of input as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      keep(chunk.subarray(start, end));
      start = end + 1;
      yield taken();
    }
    keep(chunk.subarray(start));
  }
  if (bytes > 0) yield taken();
}

/** The service’s own JSON-RPC answer as one line, told to the message that it answers; anything else is somebody’s in between. */
function answerOf(id: Message['id'], status: number, text: string): string {
  try {
    const answer = JSON.parse(text) as { jsonrpc?: string; id?: unknown; error?: unknown };
    if (Array.isArray(answer)) return JSON.stringify(answer);
    if (answer?.jsonrpc === '2.0')
      return JSON.stringify(answer.id === null && answer.error !== undefined ? { ...answer, id: id ?? null } : answer);
  } catch {
    // Said below.
  }
  return failure(id, -32603, `The service answered with status ${status} and no MCP: is this the address of a Commonplace?`);
}

function failure(id: Message['id'], code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id: id ?? null, error: { code, message } });
}

function versionIn(answer: string): string | undefined {
  try {
    return (JSON.parse(answer) as { result?: { protocolVersion?: string } }).result?.protocolVersion;
  } catch {
    return undefined;
  }
}

/** As the protocol writes what a header can’t hold. */
function headerText(text: string): string {
  const isPlain = /^[!-~]([ -~]*[!-~])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
