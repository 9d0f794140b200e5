import { APIPromise } from '../api-promise.ts';
import { APIError } from '../errors.ts';
import type { Answer, RequestOptions } from '../transport.ts';
import type { ImportResult } from '../types.ts';
import { iterate, openPath, type UploadSource } from '../uploads.ts';
import { WorkspaceResource } from './resource.ts';

const workspace = '/workspaces/{workspaceId}';
const LINES = 'application/x-ndjson';
/** It takes as long as it takes, and a stream can’t be sent again. */
const NO_LIMITS = { timeoutMs: Number.POSITIVE_INFINITY, maxRetries: 0 } as const;

export interface ExportParams {
  /** Bring vectors along. Default false. */
  vectors?: boolean;
}

export interface ImportParams {
  /** `keep-ids` (default): the same ids where they are free. `new-ids`: others, the same ones each time. */
  mode?: 'keep-ids' | 'new-ids';
}

/** All that is in a workspace, out and in; for users with an API key. */
export class Transfers extends WorkspaceResource {
  /** JSON Lines, to be read as they come. They are whole when the last line is a footer. */
  export({ vectors }: ExportParams = {}, options?: RequestOptions): APIPromise<ReadableStream<Uint8Array>> {
    const operation = { query: vectors ? { vectors: 'true' } : {}, headers: { accept: LINES }, answersStream: true } as const;
    return this.requestAs(streamOf, 'GET', `${workspace}/export`, operation, options);
  }

  /** A path (in Node, Bun and Deno), a File, bytes or a stream. What is there already is passed over: send it again where it broke off. */
  import(source: UploadSource, { mode }: ImportParams = {}, options?: RequestOptions): APIPromise<ImportResult> {
    const send = (body: NonNullable<RequestInit['body']>): APIPromise<ImportResult> =>
      this.request(
        'POST',
        `${workspace}/import`,
        { query: mode ? { mode } : {}, stream: { contentType: LINES, body } },
        { ...NO_LIMITS, ...options },
      );
    return APIPromise.after(bodyOf(source), send);
  }
}

function streamOf({ body, status, headers }: Answer): ReadableStream<Uint8Array> {
  if (!body) throw new APIError('The answer has no body', { status, headers });
  return body;
}

/** Browsers stream over HTTP/2 only: what is whole is handed over whole, and a File is read from where it lies. */
async function bodyOf(source: UploadSource): Promise<NonNullable<RequestInit['body']>> {
  if (source instanceof Blob || source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return source as Blob;
  const chunks = iterate(typeof source === 'string' ? await openPath(source) : source);
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value);
      },
      async cancel() {
        await chunks.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}
