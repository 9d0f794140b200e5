/** A bucket on loopback, for tests: checks signatures by itself, and fails as it is told. */
import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export const ACCESS_KEY_ID = 'AKIDEXAMPLE';
export const SECRET_ACCESS_KEY = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
const KEYS_OF_PAGE = 3;

/** What happens to a request: an error, a cut connection before or in the middle of the answer, or its answer. */
export type Fault = 'error' | 'cut' | 'half' | undefined;

export interface StandIn {
  readonly endpoint: string;
  readonly objects: Map<string, Buffer>;
  /** Asked for each request. */
  fault: (method: string, key: string) => Fault;
  alterList: (page: string) => string;
  readonly refusals: string[];
}

export async function startBucket(bucket: string): Promise<StandIn> {
  const objects = new Map<string, Buffer>();
  const standIn = {
    endpoint: '',
    objects,
    fault: (): Fault => undefined,
    alterList: (page: string) => page,
    refusals: [] as string[],
  } satisfies StandIn as StandIn & {
    endpoint: string;
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const url = new URL(request.url ?? '', `http://${request.headers.host}`);
    const refusal = findRefusal(request, url, body);
    if (refusal) {
      standIn.refusals.push(refusal);
      answer(
        response,
        403,
        `<Error><Code>SignatureDoesNotMatch</Code><Message>${refusal}</Message><StringToSign>${SECRET_ACCESS_KEY}</StringToSign></Error>`,
      );
      return;
    }
    const key = decodeURIComponent(url.pathname.slice(bucket.length + 2));
    const fault = standIn.fault(request.method ?? '', key);
    if (fault === 'cut') return void request.socket.destroy();
    if (fault === 'error')
      return answer(response, 503, '<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>');
    respond(response, standIn, request.method ?? '', key, url, body, fault === 'half');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(standIn, { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

function respond(
  response: ServerResponse,
  { objects, alterList }: Pick<StandIn, 'objects' | 'alterList'>,
  method: string,
  key: string,
  url: URL,
  body: Buffer,
  isHalf: boolean,
): void {
  if (method === 'PUT') {
    objects.set(key, body);
    // Stored, and the caller never hears of it.
    if (isHalf) response.socket?.destroy();
    else answer(response, 200, '');
  } else if (method === 'DELETE') {
    objects.delete(key);
    answer(response, 204, '');
  } else if (url.searchParams.get('list-type') === '2') answer(response, 200, alterList(list(objects, url.searchParams)));
  else give(response, objects.get(key), isHalf);
}

function give(response: ServerResponse, found: Buffer | undefined, isHalf: boolean): void {
  if (!found) {
    answer(response, 404, '<Error><Code>NoSuchKey</Code><Message>There is none.</Message></Error>');
    return;
  }
  response.writeHead(200, { 'content-length': found.length });
  response.write(isHalf ? found.subarray(0, found.length >> 1) : found);
  if (isHalf) setImmediate(() => response.socket?.destroy());
  else response.end();
}

function list(objects: ReadonlyMap<string, Buffer>, query: URLSearchParams): string {
  const prefix = query.get('prefix') ?? '';
  const after = query.get('continuation-token') ?? query.get('start-after') ?? '';
  const keys = [...objects.keys()].filter((key) => key.startsWith(prefix)).sort();
  if (query.get('delimiter')) {
    const folders = new Set(keys.flatMap((key) => /^[^/]*\//.exec(key.slice(prefix.length)) ?? []));
    return `<R><IsTruncated>false</IsTruncated>${[...folders].map((folder) => `<CommonPrefixes><Prefix>${encodeURIComponent(prefix + folder)}</Prefix></CommonPrefixes>`).join('')}</R>`;
  }
  const rest = keys.filter((key) => key > after);
  const page = rest.slice(0, KEYS_OF_PAGE);
  const contents = page.map((key) => `<Contents><Key>${encodeURIComponent(key)}</Key><Size>${objects.get(key)?.length}</Size></Contents>`);
  const next = rest.length > page.length ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  return `<R><IsTruncated>${next !== ''}</IsTruncated>${next}${contents.join('')}</R>`;
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status).end(text);
}

/** From the bytes that came in, as the documentation of the signature has it. */
function findRefusal({ method, headers }: IncomingMessage, url: URL, body: Buffer): string | undefined {
  const found = /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request,SignedHeaders=([^,]+),Signature=(\w{64})$/.exec(
    headers.authorization ?? '',
  );
  if (!found) return 'no authorization';
  const [, id, day = '', region = '', names = '', signature] = found;
  if (id !== ACCESS_KEY_ID) return 'unknown key';
  const bodyHash = createHash('sha256').update(body).digest('hex');
  if (headers['x-amz-content-sha256'] !== bodyHash) return 'another body';
  const query = url.search.slice(1).split('&').filter(Boolean).sort().join('&');
  const signed = names.split(';').map((name) => `${name}:${headers[name]}\n`);
  const request = [method, url.pathname, query, signed.join(''), names, bodyHash].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, createHash('sha256').update(request).digest('hex')].join('\n');
  const hmac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest();
  const key = hmac(hmac(hmac(hmac(`AWS4${SECRET_ACCESS_KEY}`, day), region), 's3'), 'aws4_request');
  return hmac(key, toSign).toString('hex') === signature ? undefined : 'another signature';
}
