/** A bucket as a target: Amazon S3, or whatever speaks as it does. */
import { encode, type S3Credentials, signRequest } from './s3-signature.ts';
import type { StoredObject, Target } from './target.ts';
import type { TargetAddress } from './target-url.ts';

type S3Address = Extract<TargetAddress, { kind: 's3' }>;

/** From the request to the end of its answer; parts have a few megabytes. */
const TIMEOUT_MS = 60_000;
const REMOVED_AT_ONCE = 8;

/** What a bucket answered in place of what was asked for. */
export class S3Failure extends Error {
  readonly status: number;
  constructor(action: string, status: number, body: string) {
    // Nothing else of the answer: it repeats what was signed.
    const code = textOf(body, 'Code');
    const message = textOf(body, 'Message');
    super(`${action} was answered ${status}${code ? ` ${code}` : ''}${message ? `: ${message}` : ''}`);
    this.name = 'S3Failure';
    this.status = status;
  }
}

export class S3Target implements Target {
  readonly #address: S3Address;
  readonly #credentials: S3Credentials;
  readonly #timeoutMs: number;

  constructor(address: S3Address, credentials: S3Credentials, timeoutMs = TIMEOUT_MS) {
    this.#address = address;
    this.#credentials = credentials;
    this.#timeoutMs = timeoutMs;
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    await this.#send('PUT', this.#urlOf(name), bytes);
  }

  async get(name: string): Promise<Buffer | undefined> {
    try {
      return await this.#send('GET', this.#urlOf(name));
    } catch (error) {
      if (error instanceof S3Failure && error.status === 404 && !error.message.includes('NoSuchBucket')) return undefined;
      throw error;
    }
  }

  async *list(folder: string, after?: string): AsyncIterable<StoredObject> {
    const { prefix } = this.#address;
    for await (const page of this.#pages({ prefix: prefix + folder, ...(after && { 'start-after': prefix + after }) })) {
      for (const [, entry = ''] of page.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
        yield { name: this.#nameOf(textOf(entry, 'Key') ?? ''), sizeBytes: Number(textOf(entry, 'Size')) };
      }
    }
  }

  async listFolders(): Promise<string[]> {
    const folders: string[] = [];
    for await (const page of this.#pages({ prefix: this.#address.prefix, delimiter: '/' })) {
      for (const [, entry = ''] of page.matchAll(/<CommonPrefixes>(.*?)<\/CommonPrefixes>/gs)) {
        folders.push(this.#nameOf(textOf(entry, 'Prefix') ?? '').replace(/\/$/, ''));
      }
    }
    return folders;
  }

  /** One by one: the request for many at a time is not understood by all that speak S3. */
  async remove(names: readonly string[]): Promise<void> {
    const waiting = names.values();
    const removeNext = async () => {
      for (const name of waiting) await this.#send('DELETE', this.#urlOf(name));
    };
    await Promise.all(Array.from({ length: REMOVED_AT_ONCE }, removeNext));
  }

  async *#pages(parameters: Readonly<Record<string, string>>): AsyncIterable<string> {
    let token: string | undefined;
    do {
      const url = this.#urlOf(undefined);
      const query = { 'list-type': '2', 'encoding-type': 'url', ...parameters, ...(token && { 'continuation-token': token }) };
      // Encoded as it is signed: URLSearchParams would write a space as a plus.
      url.search = Object.entries(query)
        .map(([name, value]) => `${name}=${encode(value)}`)
        .join('&');
      const page = (await this.#send('GET', url)).toString('utf8');
      yield page;
      const isTruncated = textOf(page, 'IsTruncated') === 'true';
      token = isTruncated ? textOf(page, 'NextContinuationToken') : undefined;
      // What is not listed would count as not there.
      if (isTruncated && !token) throw new Error(`${url.origin}${url.pathname} lists a part, and not how to ask for the rest`);
    } while (token);
  }

  async #send(method: string, url: URL, body?: Uint8Array): Promise<Buffer> {
    const headers = signRequest({ method, url, body }, this.#credentials, this.#address.region, new Date());
    const action = `${method} ${url.origin}${url.pathname}`;
    const signal = AbortSignal.timeout(this.#timeoutMs);
    try {
      const answer = await fetch(url, {
        method,
        headers,
        signal,
        redirect: 'error',
        ...(body && { body: body as Uint8Array<ArrayBuffer> }),
      });
      const bytes = Buffer.from(await answer.arrayBuffer());
      if (!answer.ok) throw new S3Failure(action, answer.status, bytes.toString('utf8'));
      return bytes;
    } catch (error) {
      if (error instanceof S3Failure) throw error;
      throw new Error(`${action} failed: ${reasonOf(error)}`, { cause: error });
    }
  }

  #urlOf(name: string | undefined): URL {
    const { bucket, prefix, region, endpoint } = this.#address;
    const key = name === undefined ? '' : `${prefix}${name}`.split('/').map(encode).join('/');
    if (endpoint) return new URL(`${endpoint}/${bucket}/${key}`);
    // A dot in the name would not fit the certificate.
    if (bucket.includes('.')) return new URL(`https://s3.${region}.amazonaws.com/${bucket}/${key}`);
    return new URL(`https://${bucket}.s3.${region}.amazonaws.com/${key}`);
  }

  #nameOf(key: string): string {
    return decodeURIComponent(key.replaceAll('+', ' ')).slice(this.#address.prefix.length);
  }
}

/** Of the small XML that S3 answers; entities occur in messages and tokens only. */
function textOf(xml: string, tag: string): string | undefined {
  const found = new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(xml)?.[1];
  return found?.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: keyof typeof entities) => entities[name]);
}

const entities = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" } as const;

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || String((error.cause as NodeJS.ErrnoException).code) : error.message;
}
