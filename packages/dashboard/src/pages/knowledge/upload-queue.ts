/** Uploads of a workspace, a few at a time. They go on while other pages of the app are looked at. */
import { Commonplace, type Document } from '@commonplace/client';
import { serviceUrl } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { beforeLeaving } from '../../shell/leaving.ts';
import { countingFetch } from './counting-fetch.ts';
import { besideOf, type NamedFile } from './dropped-files.ts';
import { refreshDocuments } from './queries.ts';

const MOST_AT_ONCE = 3;
/** A busy service answers 429 or 503 and says when to come again. */
const MOST_RETRIES = 4;
/** 2 MB over a line of 60 kbit/s. */
const LONGEST_UPLOAD_MS = 300_000;

export interface UploadSettings {
  readonly labels: readonly string[];
  /** Whether a file takes the place of what was uploaded by the same name. */
  readonly replaces: boolean;
}

export interface FileUpload {
  readonly id: number;
  readonly path: string;
  readonly sizeBytes: number;
  readonly state: 'waiting' | 'sending' | 'sent' | 'refused';
  /** 0 to 1, of what was handed to the network. */
  readonly share?: number;
  /** What became of it. */
  readonly outcome?: 'new' | 'replaced' | 'unchanged';
  readonly document?: Document;
  readonly error?: unknown;
}

interface Sending {
  readonly named: NamedFile;
  readonly settings: UploadSettings;
  readonly controller: AbortController;
}

/** `handbook/refunds.md` → `refunds`. */
export function titleOf(path: string): string {
  const name = path.split('/').at(-1) ?? path;
  return name.replace(/\.(?:md|txt)$/i, '').trim() || name;
}

export class UploadQueue {
  readonly #workspaceId: string;
  readonly #listeners = new Set<() => void>();
  readonly #sendings = new Map<number, Sending>();
  #uploads: readonly FileUpload[] = [];
  #lastId = 0;

  constructor(workspaceId: string) {
    this.#workspaceId = workspaceId;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly uploads = (): readonly FileUpload[] => this.#uploads;

  add(files: readonly NamedFile[], settings: UploadSettings): void {
    const added = files.map((named): FileUpload => {
      const id = ++this.#lastId;
      this.#sendings.set(id, { named, settings, controller: new AbortController() });
      return { id, path: named.path, sizeBytes: named.file.size, state: 'waiting' };
    });
    this.#show([...this.#uploads, ...added]);
    this.#sendNext();
  }

  isBusy(): boolean {
    return this.#uploads.some(({ state }) => state === 'waiting' || state === 'sending');
  }

  /** Whatever has arrived stays; what has not is never made. */
  stop(id: number): void {
    this.#sendings.get(id)?.controller.abort();
    this.#sendings.delete(id);
    this.#show(this.#uploads.filter((upload) => upload.id !== id));
    this.#sendNext();
  }

  stopAll(): void {
    const isOver = ({ state }: FileUpload) => state === 'sent' || state === 'refused';
    for (const { id } of this.#uploads.filter((upload) => !isOver(upload))) {
      this.#sendings.get(id)?.controller.abort();
      this.#sendings.delete(id);
    }
    this.#show(this.#uploads.filter(isOver));
    this.#sendNext();
  }

  /** With the settings as they are now: labels that were refused may be mended. */
  retry(id: number, settings: UploadSettings): void {
    const sending = this.#sendings.get(id);
    if (!sending) return;
    this.#sendings.set(id, { ...sending, settings });
    this.#change(id, { state: 'waiting', error: undefined, share: undefined });
    this.#sendNext();
  }

  /** Another file in the place of one that was refused, in the same folder. */
  replace(id: number, file: File, settings: UploadSettings): void {
    const sending = this.#sendings.get(id);
    if (!sending) return;
    const named = besideOf(sending.named, file);
    this.#sendings.set(id, { ...sending, named });
    this.#change(id, { path: named.path, sizeBytes: file.size });
    this.retry(id, settings);
  }

  /** Takes what is over off the list. */
  clear(): void {
    for (const { id, state } of this.#uploads) if (state === 'sent' || state === 'refused') this.#sendings.delete(id);
    this.#show(this.#uploads.filter(({ state }) => state === 'waiting' || state === 'sending'));
  }

  #sendNext(): void {
    const sending = this.#uploads.filter(({ state }) => state === 'sending').length;
    const waiting = this.#uploads.filter(({ state }) => state === 'waiting');
    for (const { id } of waiting.slice(0, MOST_AT_ONCE - sending)) void this.#send(id);
    if (sending === 0 && waiting.length === 0) void refreshDocuments(queryClient, this.#workspaceId);
  }

  async #send(id: number): Promise<void> {
    const sending = this.#sendings.get(id);
    if (!sending) return;
    const { named, settings, controller } = sending;
    this.#change(id, { state: 'sending' });
    try {
      const fields = {
        title: titleOf(named.path),
        ...(settings.labels.length > 0 && { labels: [...settings.labels] }),
        ...(settings.replaces && { externalId: named.path }),
      };
      const uploader = new Commonplace({
        baseUrl: serviceUrl,
        maxRetries: MOST_RETRIES,
        timeoutMs: LONGEST_UPLOAD_MS,
        fetch: countingFetch((share) => this.#change(id, { share })),
      });
      const { documents } = uploader.workspace(this.#workspaceId);
      const { data, response } = await documents.upload(named.file, fields, { signal: controller.signal }).withResponse();
      const outcome = response.status === 201 ? 'new' : data.status === 'processing' ? 'replaced' : 'unchanged';
      this.#sendings.delete(id);
      this.#change(id, { state: 'sent', share: 1, outcome, document: data });
    } catch (error) {
      if (controller.signal.aborted) return;
      this.#change(id, { state: 'refused', error });
    }
    this.#sendNext();
  }

  #change(id: number, change: { readonly [Name in keyof FileUpload]?: FileUpload[Name] | undefined }): void {
    this.#show(this.#uploads.map((upload) => (upload.id === id ? ({ ...upload, ...change } as FileUpload) : upload)));
  }

  #show(uploads: readonly FileUpload[]): void {
    this.#uploads = uploads;
    for (const listener of this.#listeners) listener();
  }
}

const queues = new Map<string, UploadQueue>();

beforeLeaving(() => {
  for (const queue of queues.values()) queue.stopAll();
});

export function uploadQueueOf(workspaceId: string): UploadQueue {
  let queue = queues.get(workspaceId);
  if (!queue) {
    queue = new UploadQueue(workspaceId);
    queues.set(workspaceId, queue);
  }
  return queue;
}

// What has not arrived would be lost without a word.
window.addEventListener('beforeunload', (event) => {
  if ([...queues.values()].some((queue) => queue.isBusy())) event.preventDefault();
});
