/** Files for upload: from a path, a Blob, bytes or a stream, as one form that can be sent again. */
import { CommonplaceError } from './errors.ts';
import type { UploadProgress } from './progress.ts';
import type { Form } from './transport.ts';

/** A path is read in Node, Bun and Deno; everything else works everywhere. */
export type UploadSource = string | Blob | ArrayBuffer | ArrayBufferView | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string>;

export interface UploadFields {
  /** Default: the name of the file. */
  title?: string;
  /** `key=value`, or a bare word. */
  labels?: string[];
  /** Your own id: the same bytes again change nothing, others take the place of what is there. */
  externalId?: string;
  /** Ends in `.md` or `.txt`. Default: the name of the path, of the File or of the file that is streamed; needed for what has no name. */
  filename?: string;
  /** Told what was handed to `fetch`, not what has arrived. */
  onProgress?: (progress: UploadProgress) => void;
}

/** As the service has it. Whatever is larger is not read to its end. */
const LARGEST_FILE_BYTES = 2_097_152;

export async function formOf(source: UploadSource, fields: UploadFields): Promise<Form> {
  const filename = fields.filename ?? nameOf(source);
  if (!filename) throw new CommonplaceError('filename is required: bytes and streams have no name of their own');
  const file = await readSource(source);
  const texts = [
    ['title', fields.title ?? filename],
    ...(fields.externalId === undefined ? [] : [['externalId', fields.externalId]]),
    ...(fields.labels ? [['labels', JSON.stringify(fields.labels)]] : []),
  ] as [string, string][];
  return { ...encodeForm(texts, filename, file), onProgress: fields.onProgress };
}

function nameOf(source: UploadSource): string | undefined {
  // A File has a name, which is a path in Bun; what `createReadStream` gives has a path.
  const { name, path } = (typeof source === 'string' ? { name: source } : source) as { name?: unknown; path?: unknown };
  const named = name ?? path;
  return typeof named === 'string' ? named.split(/[\\/]/).at(-1) : undefined;
}

async function readSource(source: UploadSource): Promise<Uint8Array> {
  if (source instanceof Blob) return readChunks(source.stream());
  if (source instanceof ArrayBuffer) return requireFitting(new Uint8Array(source));
  if (ArrayBuffer.isView(source)) return requireFitting(new Uint8Array(source.buffer, source.byteOffset, source.byteLength));
  if (typeof source === 'string') return readPath(source);
  return readChunks(source);
}

async function readPath(path: string): Promise<Uint8Array> {
  const file = await openPath(path);
  try {
    return await readChunks(file);
  } catch (cause) {
    if (cause instanceof CommonplaceError) throw cause;
    throw new CommonplaceError(`${path} can’t be read: ${(cause as Error).message}`, { cause });
  }
}

export async function openPath(path: string): Promise<AsyncIterable<Uint8Array>> {
  // Not a literal, so that bundlers for browsers leave it alone.
  const name = 'node:fs';
  let fs: { createReadStream(path: string): AsyncIterable<Uint8Array> };
  try {
    fs = await import(/* webpackIgnore: true */ /* @vite-ignore */ name);
  } catch (cause) {
    throw new CommonplaceError('A path can be read in Node, Bun and Deno only; pass a File, a Blob or bytes', { cause });
  }
  return fs.createReadStream(path);
}

/** Kept whole, so that a retry sends the same. */
async function readChunks(source: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of iterate(source)) {
    const bytes = typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk;
    sizeBytes += bytes.length;
    requireFitting({ length: sizeBytes });
    chunks.push(bytes);
  }
  return joined(chunks);
}

/** Safari can’t iterate over streams. */
export async function* iterate(
  source: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string>,
): AsyncGenerator<Uint8Array | string> {
  if (!('getReader' in source)) return yield* source;
  const reader = source.getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } finally {
    await reader.cancel();
  }
}

function requireFitting<File extends { readonly length: number }>(file: File): File {
  if (file.length > LARGEST_FILE_BYTES) throw new CommonplaceError('File must not exceed 2 MB');
  return file;
}

/** By hand, and not as FormData: its size is known and its bytes can be counted on their way. */
function encodeForm(texts: readonly [string, string][], filename: string, file: Uint8Array): Pick<Form, 'contentType' | 'bytes'> {
  const boundary = `commonplace-${Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('')}`;
  const encode = (text: string) => new TextEncoder().encode(text);
  const parts = texts.map(([name, value]) => encode(`--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`));
  const quoted = filename.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${quoted}"\r\ncontent-type: application/octet-stream\r\n\r\n`;
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    bytes: joined([...parts, encode(head), file, encode(`\r\n--${boundary}--\r\n`)]),
  };
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
