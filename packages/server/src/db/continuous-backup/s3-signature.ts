/** AWS Signature Version 4, as S3 takes it in the Authorization header. */
import { createHash, createHmac } from 'node:crypto';

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of keys that end. */
  readonly sessionToken?: string | undefined;
}

export interface RequestToSign {
  readonly method: string;
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';

/** The headers to send, with the signature among them. `host` is signed too, and sent by whoever sends the request. */
export function signRequest(
  { method, url, headers = {}, body }: RequestToSign,
  { accessKeyId, secretAccessKey, sessionToken }: S3Credentials,
  region: string,
  now: Date,
): Record<string, string> {
  const time = now.toISOString().replace(/[:-]|\.\d{3}/g, '');
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  const bodyHash = sha256(body ?? '');
  const sent: Record<string, string> = { ...headers, 'x-amz-content-sha256': bodyHash, 'x-amz-date': time };
  if (sessionToken) sent['x-amz-security-token'] = sessionToken;
  const signed = Object.entries({ ...sent, host: url.host })
    .map(([name, value]): [string, string] => [name.toLowerCase(), value.trim()])
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const names = signed.map(([name]) => name).join(';');
  const lines = signed.map(([name, value]) => `${name}:${value}\n`).join('');
  const request = [method, encodePath(url), encodeQuery(url), lines, names, bodyHash].join('\n');
  const key = ['s3', 'aws4_request'].reduce(hmac, hmac(hmac(Buffer.from(`AWS4${secretAccessKey}`), time.slice(0, 8)), region));
  const signature = hmac(key, [ALGORITHM, time, scope, sha256(request)].join('\n')).toString('hex');
  sent.authorization = `${ALGORITHM} Credential=${accessKeyId}/${scope},SignedHeaders=${names},Signature=${signature}`;
  return sent;
}

function encodePath(url: URL): string {
  return url.pathname
    .split('/')
    .map((part) => encode(decodeURIComponent(part)))
    .join('/');
}

function encodeQuery(url: URL): string {
  return [...url.searchParams]
    .map(([name, value]): [string, string] => [encode(name), encode(value)])
    .sort(([a, x], [b, y]) => (a === b ? (x < y ? -1 : 1) : a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

/** As `encodeURIComponent`, and the five characters that it leaves. */
export function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256(body: string | Uint8Array): string {
  return createHash('sha256').update(body).digest('hex');
}
