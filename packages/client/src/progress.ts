/** How much of an upload was handed to `fetch`. */

export interface UploadProgress {
  /** What `fetch` has taken so far; a retry begins again at 0. */
  sentBytes: number;
  /** Of the whole form: the file and what goes with it. */
  totalBytes: number;
}

interface Upload {
  readonly bytes: Uint8Array;
  readonly onProgress: ((progress: UploadProgress) => void) | undefined;
}

const CHUNK_BYTES = 64 * 1024;

/**
 * The body as `fetch` takes it. With somebody to tell it is a stream, of which a chunk is counted when `fetch` asks for the
 * next one. Browsers stream over HTTP/2 only: there all is told at the end.
 */
export function progressBody({ bytes, onProgress }: Upload, canStream: boolean): RequestInit {
  const whole = { body: bytes as NonNullable<RequestInit['body']> };
  if (!onProgress) return whole;
  onProgress({ sentBytes: 0, totalBytes: bytes.length });
  if (!canStream) return whole;
  let sentBytes = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (sentBytes > 0) onProgress({ sentBytes, totalBytes: bytes.length });
        if (sentBytes >= bytes.length) return controller.close();
        const chunk = bytes.slice(sentBytes, sentBytes + CHUNK_BYTES);
        sentBytes += chunk.length;
        controller.enqueue(chunk);
      },
    },
    { highWaterMark: 0 },
  );
  return { body, duplex: 'half' } as RequestInit;
}
