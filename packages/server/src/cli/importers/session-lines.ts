/** A session and what belongs to it, as lines. */
import type { LineData } from '@commonplace/contract/transfer';
import {
  digestOf,
  type ImportedItem,
  type ImporterOptions,
  idAt,
  isLine,
  lineOf,
  shortened,
  storable,
  timelessId,
  toTime,
} from './items.ts';

const LONGEST_EXTERNAL_ID = 255;
const LONGEST_TITLE = 255;

export interface SessionSource {
  /** The name of the format: `chatgpt`. */
  readonly format: string;
  /** What the source knows the session by. */
  readonly sourceId: string;
  readonly title: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly createdMs: number;
  readonly lastMs: number;
  readonly place: string;
}

export interface MessageSource {
  readonly sourceId: string;
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Undefined where the source does not tell. */
  readonly ms: number | undefined;
  readonly place: string;
}

/** Counts what it gives out. Messages keep their order: none is earlier than the one before. */
export class SessionLines {
  readonly id: string;
  readonly #source: SessionSource;
  readonly #options: ImporterOptions;
  #lastMs: number;
  #lines = 0;

  constructor(source: SessionSource, options: ImporterOptions) {
    this.#source = source;
    this.#options = options;
    this.#lastMs = source.createdMs;
    this.id = timelessId(digestOf(options.workspaceId, options.agentId, source.format, source.sourceId));
  }

  /** The first line; where it is a problem, none of the others counts. */
  begin(): ImportedItem {
    const { format, sourceId, title, labels = {}, meta = {}, createdMs, lastMs, place } = this.#source;
    const updatedAt = toTime(Math.max(createdMs, lastMs));
    const data: LineData<'session'> = {
      id: this.id,
      agentId: this.#options.agentId,
      externalId: externalIdOf(format, sourceId),
      named: true,
      title: shortened(title, LONGEST_TITLE),
      status: 'active',
      labels,
      meta: { importedFrom: format, ...meta },
      lastActivityAt: updatedAt,
      createdAt: toTime(createdMs),
      updatedAt,
      extraction: null,
    };
    return lineOf('session', data, place);
  }

  message({ sourceId, role, content, meta = {}, ms, place }: MessageSource): ImportedItem {
    const atMs = Math.max(this.#lastMs, ms ?? this.#lastMs);
    const id = idAt(atMs, digestOf(this.id, sourceId), this.#lines);
    const times = { createdAt: toTime(atMs), updatedAt: toTime(atMs) };
    const item = this.#counted(lineOf('message', { id, sessionId: this.id, role, content: storable(content), meta, ...times }, place));
    if (isLine(item)) this.#lastMs = atMs;
    return item;
  }

  memory(
    memory: Pick<LineData<'memory'>, 'kind' | 'content' | 'meta' | 'expiresAt'>,
    source: { sourceId: string; createdMs: number; updatedMs: number; place: string },
  ): ImportedItem {
    const { sourceId, createdMs, updatedMs, place } = source;
    const data: LineData<'memory'> = {
      ...memory,
      content: storable(memory.content),
      id: idAt(createdMs, digestOf(this.id, sourceId), this.#lines),
      sessionId: this.id,
      // By hand or by another program: nothing that is extracted here takes it away.
      source: 'written',
      slot: null,
      fingerprint: null,
      supersededAt: null,
      supersededBy: null,
      createdAt: toTime(createdMs),
      updatedAt: toTime(Math.max(createdMs, updatedMs)),
    };
    return this.#counted(lineOf('memory', data, place));
  }

  get isEmpty(): boolean {
    return this.#lines === 0;
  }

  end(): ImportedItem {
    return lineOf('end', { of: 'session', id: this.id, lines: this.#lines }, this.#source.place);
  }

  #counted(item: ImportedItem): ImportedItem {
    if (isLine(item)) this.#lines++;
    return item;
  }
}

/** One that is too long is known by its digest. */
function externalIdOf(format: string, sourceId: string): string {
  const id = `${format}:${storable(sourceId)}`;
  return Array.from(id).length <= LONGEST_EXTERNAL_ID ? id : `${format}:${digestOf(sourceId).toString('hex')}`;
}
