/** One try of a delivery: a POST to an address that is checked when it is known, and again when it is connected to. */
import type { IncomingMessage, RequestOptions } from 'node:http';
import { connect, type LookupFunction, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import type { Config } from '../config.ts';
import { AddressRules, hostOf } from './addresses.ts';
import { createResolve, type Resolve } from './resolving.ts';
import { webhookTimes } from './rules.ts';

/** Not imported, as in http/pipelining.ts. */
const { request } = process.getBuiltinModule('node:http');

/** What is read of an answer; the rest is dropped. */
const MOST_READ_BYTES = 4_096;
const MOST_SHOWN_BYTES = 1_000;

export interface Outcome {
  /** Of the answer; null where there was none. */
  readonly status: number | null;
  readonly answer: string;
  /** Null where it was taken. */
  readonly error: string | null;
}

export interface Sent {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Sender {
  readonly rules: AddressRules;
  readonly resolve: Resolve;
  readonly timeLimitMs: number;
}

/** By the settings, on the network of this machine. */
export function createSender({ webhooksAllow }: Pick<Config, 'webhooksAllow'>): Sender {
  return { rules: new AddressRules(webhooksAllow), resolve: createResolve(), timeLimitMs: webhookTimes.timeLimitMs };
}

/** What went wrong, in words that a receiver's operator may read: nothing of what stands behind a name. */
class Refused extends Error {}

const NOT_PERMITTED = 'The address is private, and webhooks are not sent to it';

/** Never throws: what goes wrong is an outcome. `signal` ends it early. */
export async function send(sender: Sender, sent: Sent, signal?: AbortSignal): Promise<Outcome> {
  const ending = new AbortController();
  const end = () => ending.abort(new Refused('The delivery was interrupted'));
  const tooLate = new Refused(`There was no answer within ${sender.timeLimitMs / 1000} seconds`);
  const timer = setTimeout(() => ending.abort(tooLate), sender.timeLimitMs);
  signal?.addEventListener('abort', end, { once: true });
  if (signal?.aborted) end();
  try {
    return await within(ending.signal, exchange(sender, sent, ending.signal));
  } catch (error) {
    return { status: null, answer: '', error: messageOf(ending.signal.aborted ? ending.signal.reason : error) };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}

async function exchange({ rules, resolve }: Sender, { url, headers, body }: Sent, signal: AbortSignal): Promise<Outcome> {
  const { protocol, port, pathname, search, host } = new URL(url);
  const isSecure = protocol === 'https:';
  const socket = await connectTo({ host: hostOf(url), port: Number(port || (isSecure ? 443 : 80)), isSecure }, rules, resolve, signal);
  try {
    // Made on a connection of its own, for this request alone: no agent, no proxy, nothing that is used again.
    const options: RequestOptions = {
      method: 'POST',
      path: pathname + search,
      headers: { ...headers, host, 'content-length': String(Buffer.byteLength(body)), connection: 'close', 'accept-encoding': 'identity' },
      createConnection: () => socket,
      signal,
    };
    const response = await new Promise<IncomingMessage>((resolved, rejected) => {
      request(options, resolved).on('error', rejected).end(body);
    });
    const status = response.statusCode ?? 0;
    return { status, answer: await readBeginning(response), error: errorOf(status) };
  } finally {
    socket.destroy();
  }
}

interface Destination {
  readonly host: string;
  readonly port: number;
  readonly isSecure: boolean;
}

/** Connects to an address that is permitted, out of those that the name stands for now: they are looked up once, and not again. */
async function connectTo(
  { host, port, isSecure }: Destination,
  rules: AddressRules,
  resolve: Resolve,
  signal: AbortSignal,
): Promise<Socket> {
  const permitted = (await resolve(host)).filter((address) => rules.permits(address));
  if (permitted.length === 0) throw new Refused(NOT_PERMITTED);
  signal.throwIfAborted();
  const found = permitted.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  const lookup: LookupFunction = (_host, _options, callback) => callback(null, found);
  const options = { host, port, lookup, autoSelectFamily: true };
  const isName = permitted[0] !== host;
  const socket = isSecure ? connectSecurely({ ...options, ...(isName && { servername: host.replace(/\.$/, '') }) }) : connect(options);
  const stop = () => socket.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await new Promise<void>((resolved, rejected) => {
      socket.once('error', rejected);
      socket.once('close', () => rejected(new Refused('The connection was closed')));
      socket.once('connect', () => {
        // Whatever was looked up: nothing is said to an address that may not be called.
        if (!rules.permits(socket.remoteAddress ?? '')) socket.destroy(new Refused(NOT_PERMITTED));
      });
      socket.once(isSecure ? 'secureConnect' : 'connect', () => {
        if (!socket.destroyed) resolved();
      });
    });
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
  return socket;
}

function errorOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `The answer was a redirect (${status}), which is not followed`;
  return `The answer was ${status}`;
}

async function readBeginning(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= MOST_READ_BYTES) break;
  }
  return shown(Buffer.concat(chunks).subarray(0, MOST_SHOWN_BYTES));
}

/** As text that can be stored and shown anywhere: what is no character, or controls something, is a replacement character. */
function shown(bytes: Buffer): string {
  // A character that was cut off at the end is left out.
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });
  let shownBytes = 0;
  let kept = '';
  for (const character of text.replace(/[^\P{Cc}\t\n\r]|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '\ufffd')) {
    shownBytes += Buffer.byteLength(character);
    if (shownBytes > MOST_SHOWN_BYTES) break;
    kept += character;
  }
  return kept;
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused',
  ECONNRESET: 'The connection was closed before there was an answer',
  EPIPE: 'The connection was closed before there was an answer',
  ENOTFOUND: 'The name of the host is not known',
  ENODATA: 'The name of the host is not known',
  EAI_AGAIN: 'The name of the host could not be looked up',
  ETIMEDOUT: 'The host could not be reached',
  EHOSTUNREACH: 'The host could not be reached',
  ENETUNREACH: 'The host could not be reached',
  EPROTO: 'The host does not speak TLS there',
};

function messageOf(error: unknown): string {
  if (error instanceof Refused) return error.message;
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? '';
  const known = reasons[code];
  if (known !== undefined) return known;
  if (/CERT|ALTNAME|SIGNATURE|ISSUER/.test(code)) return `The certificate of the host is not trusted (${code})`;
  if (/^(HPE|ERR)_\w+$/.test(code)) return `The answer is not HTTP, or the connection failed (${code})`;
  return 'The host could not be reached';
}

/** What looks up a name, and the rest, is not waited for any longer than that. */
function within<T>(limit: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise<T>((resolved, rejected) => {
    const stop = () => rejected(limit.reason);
    if (limit.aborted) stop();
    limit.addEventListener('abort', stop, { once: true });
    work.then(resolved, rejected).finally(() => limit.removeEventListener('abort', stop));
  });
}
