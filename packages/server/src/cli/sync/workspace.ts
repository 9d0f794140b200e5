/** The documents of a workspace of a running service, by the public API. Whatever is asked may be asked again: nothing happens twice. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Document } from '@commonplace/contract/documents';
import type { FolderText } from './folder.ts';

export interface Credentials {
  readonly url: string;
  readonly workspaceId: string;
  /** The header that carries the key, and the key. */
  readonly header: readonly [name: string, value: string];
}

/** What the service answered, in its own words. */
export class Refused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.name = 'Refused';
    this.status = status;
  }
}

const PAGE = 100;
const ANSWER_LIMIT_MS = 120_000;
/** Tries for a service that says it is busy, and for one that does not answer. */
const MOST_TRIES = 12;
const MOST_UNANSWERED = 4;
const LONGEST_WAIT_MS = 60_000;
const FIRST_WAIT_MS = 500;
const BUSY = [429, 502, 503, 504];

export class WorkspaceDocuments {
  readonly #address: string;
  readonly #origin: string;
  readonly #headers: Record<string, string>;

  constructor({ url, workspaceId, header: [name, value] }: Credentials) {
    this.#origin = new URL(url).origin;
    this.#address = `${url.replace(/\/+$/, '')}/api/v1/workspaces/${encodeURIComponent(workspaceId)}/documents`;
    this.#headers = { [name]: value };
  }

  /** Those whose external id begins so. */
  async list(beginning: string): Promise<Document[]> {
    const found: Document[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const query = new URLSearchParams({ limit: String(PAGE), cursor });
      const page: { documents: Document[]; _meta: { cursor?: string } } = await this.#ask('GET', `?${query}`);
      found.push(...page.documents.filter(({ externalId }) => externalId?.startsWith(beginning)));
      cursor = page._meta.cursor;
    }
    return found;
  }

  async get(documentId: string): Promise<Document> {
    return this.#ask('GET', `/${documentId}`);
  }

  async upload({ externalId, title, filename, bytes }: FolderText, labels: readonly string[]): Promise<Document> {
    const form = new FormData();
    form.append('externalId', externalId);
    form.append('title', title);
    form.append('labels', JSON.stringify(labels));
    form.append('file', new Blob([bytes]), filename);
    return this.#ask('POST', '', form);
  }

  async reindex(documentId: string): Promise<void> {
    await this.#ask('POST', `/${documentId}/reindex`);
  }

  /** One that is gone already is as good as deleted. */
  async delete(documentId: string): Promise<void> {
    try {
      await this.#ask('DELETE', `/${documentId}`);
    } catch (error) {
      if (!(error instanceof Refused && error.status === 404)) throw error;
    }
  }

  async #ask<Answer>(method: string, path: string, body?: FormData): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      const answer = await this.#send(method, path, body);
      if (typeof answer === 'string') {
        if (tries >= MOST_UNANSWERED) throw new Error(`${this.#origin} does not answer: ${answer}`);
        await sleep(waitMs(null, tries));
      } else if (answer.ok) {
        const text = await answer.text();
        return (text === '' ? undefined : JSON.parse(text)) as Answer;
      } else if (!BUSY.includes(answer.status) || tries >= MOST_TRIES) {
        throw new Refused(answer.status, await complaintOf(answer));
      } else {
        await answer.body?.cancel();
        await sleep(waitMs(answer.headers.get('retry-after'), tries));
      }
    }
  }

  /** The answer, or why there is none. */
  async #send(method: string, path: string, body: FormData | undefined): Promise<Response | string> {
    try {
      return await fetch(`${this.#address}${path}`, {
        method,
        headers: this.#headers,
        signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
        // A key goes to nobody but the service that it was given for.
        redirect: 'error',
        ...(body && { body }),
      });
    } catch (error) {
      const { cause, message } = error as Error;
      return cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code) : message;
    }
  }
}

/** As long as the service says, in seconds; otherwise longer each time, and not all at the same moment. */
export function waitMs(retryAfter: string | null, tries: number): number {
  const seconds = retryAfter === null || retryAfter.trim() === '' ? Number.NaN : Number(retryAfter);
  if (seconds >= 0) return Math.min(seconds * 1000, LONGEST_WAIT_MS);
  return Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), LONGEST_WAIT_MS) * (0.5 + Math.random() / 2);
}

async function complaintOf(answer: Response): Promise<string> {
  const text = await answer.text();
  try {
    const { errorMessage } = JSON.parse(text) as { errorMessage?: unknown };
    if (typeof errorMessage === 'string') return `${errorMessage} (${answer.status})`;
  } catch {
    // Not one of the service's own answers.
  }
  return `status ${answer.status}`;
}
