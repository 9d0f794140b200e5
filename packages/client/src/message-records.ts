/**
 * What adapters are made of: the messages of another library, kept as messages of a session. Their text is the content, so that search, memories and
 * contexts work; everything else is in `meta`, over as many messages as it takes.
 */
import { CommonplaceError, NotFoundError } from './errors.ts';
import type { SessionMessages } from './handles/session-messages.ts';
import type { Message, NewMessage } from './types.ts';

/** What the service takes of one content and in one request; and of one `meta`, less what stands around a value. */
const LARGEST_CONTENT_BYTES = 1_000_000;
const LARGEST_BATCH_BYTES = 9_000_000;
const LARGEST_META_BYTES = 63_000;
const MOST_IN_BATCH = 100;
const LONGEST_LABEL = 2_000;
const BETWEEN_TEXTS = '\n\n';

/** Keys and indexes, from the outside in. */
export type Path = readonly (string | number)[];

export interface NewRecord {
  role: Message['role'];
  /** Any JSON value. */
  value: unknown;
  /** Where its text stands. That is kept once, as the content of the message, and a change of the content is a change of the value. */
  textAt: readonly Path[];
  /** The content where there is no text. */
  label: string;
}

export interface MessageRecord {
  role: Message['role'];
  /** The content of its message. */
  text: string;
  /** As it was given; undefined where something else wrote the message. */
  value: unknown;
  /** One, or as many as it took. */
  messageIds: string[];
}

/** How a value lies in `meta`: as JSON, in which the texts are empty. */
interface Kept {
  readonly value: unknown;
  readonly texts: readonly { readonly at: Path; readonly length: number }[];
}

/** A piece of the JSON of one that is too large for a single message. */
interface Part {
  readonly id: string;
  readonly part: number;
  readonly of: number;
  readonly json: string;
}

export class MessageRecords {
  readonly #messages: SessionMessages;
  readonly #key: string;

  /** `key` is that of `meta` under which values lie: one for each library. */
  constructor(messages: SessionMessages, key: string) {
    this.#messages = messages;
    this.#key = key;
  }

  /** In the order given. What fits in one request, 100 messages and 9 MB, is there as a whole or not at all. */
  async append(records: readonly NewRecord[]): Promise<void> {
    const written = records.map((record) => this.#messagesOf(record));
    for (const batch of batchesOf(written)) await this.#messages.createBatch({ messages: batch });
  }

  /** All of them, or the last ones; oldest first. */
  async list(limit = Number.POSITIVE_INFINITY): Promise<MessageRecord[]> {
    if (limit <= 0) return [];
    // A record takes one message, as a rule.
    for (let reach = limit; ; reach *= 2) {
      const offset = Number.isFinite(reach) ? Math.max(0, (await this.#messages.list({ limit: 1 })).meta.total - reach) : 0;
      const records = await this.#readFrom(offset);
      if (records.length >= limit || offset === 0) return Number.isFinite(limit) ? records.slice(-limit) : records;
    }
  }

  /** Takes the last one away. Of several callers at once each gets another. */
  async pop(): Promise<MessageRecord | undefined> {
    for (;;) {
      const [last] = await this.list(1);
      if (!last) return undefined;
      try {
        await this.#messages.deleteBatch({ ids: last.messageIds });
        return last;
      } catch (error) {
        if (!(error instanceof NotFoundError)) throw error;
      }
    }
  }

  /** Deletes the messages that the session has now, whoever wrote them. */
  async clear(): Promise<void> {
    const ids: string[] = [];
    for await (const message of this.#messages.list({ limit: MOST_IN_BATCH })) ids.push(message.id);
    for (let at = 0; at < ids.length; at += MOST_IN_BATCH) await this.#deleteAll(ids.slice(at, at + MOST_IN_BATCH));
  }

  async #deleteAll(ids: string[]): Promise<void> {
    try {
      await this.#messages.deleteBatch({ ids });
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
      // Somebody else has deleted one of them.
      if (ids.length > 1) for (const id of ids) await this.#deleteAll([id]);
    }
  }

  async #readFrom(offset: number): Promise<MessageRecord[]> {
    const found = new Map<string, { first: Message; parts: Map<number, { id: string; json: string }>; of: number }>();
    for await (const message of this.#messages.list({ limit: 100, offset })) {
      const part = this.#partOf(message);
      const record = found.get(part.id) ?? { first: message, parts: new Map(), of: part.of };
      if (part.part === 0) record.first = message;
      record.parts.set(part.part, { id: message.id, json: part.json });
      found.set(part.id, record);
    }
    // One that began before the offset lacks its beginning.
    return [...found.values()].filter(({ parts, of }) => parts.size === of).map(({ first, parts }) => recordOf(first, parts));
  }

  /** A message that something else wrote is a record without JSON. */
  #partOf(message: Message): Part {
    const kept: unknown = isObject(message.meta) ? message.meta[this.#key] : undefined;
    if (isPart(kept)) return kept;
    return { id: message.id, part: 0, of: 1, json: typeof kept === 'string' ? kept : '' };
  }

  #messagesOf({ role, value, textAt, label }: NewRecord): NewMessage[] {
    const texts = textAt.map((at) => textIn(value, at));
    const joined = texts.join(BETWEEN_TEXTS);
    const isContent = joined.trim() !== '' && isStorable(joined) && bytesOf(joined) <= LARGEST_CONTENT_BYTES;
    const kept: Kept = isContent
      ? { value: withTexts(value, textAt, () => ''), texts: textAt.map((at, index) => ({ at, length: texts[index]?.length ?? 0 })) }
      : { value, texts: [] };
    const content = isContent ? joined : shorten(joined.trim() === '' ? label : joined);
    const pieces = cut(JSON.stringify(kept));
    if (pieces.length === 1) return [{ role, content, meta: { [this.#key]: pieces[0] } }];
    if (pieces.length > MOST_IN_BATCH) throw new CommonplaceError('A message must not have more than 6 MB besides its text');
    const id = crypto.randomUUID();
    return pieces.map((json, part) => ({
      role: part === 0 ? role : 'assistant',
      content: part === 0 ? content : '…',
      meta: { [this.#key]: { id, part, of: pieces.length, json } satisfies Part },
    }));
  }
}

function recordOf({ role, content }: Message, parts: ReadonlyMap<number, { id: string; json: string }>): MessageRecord {
  const inOrder = [...parts].sort(([a], [b]) => a - b).map(([, part]) => part);
  const messageIds = inOrder.map(({ id }) => id);
  const json = inOrder.map((part) => part.json).join('');
  if (json === '') return { role, text: content, value: undefined, messageIds };
  const kept = readKept(json);
  if (!kept) return { role, text: content, value: undefined, messageIds };
  const texts = separate(content, kept.texts);
  const at = kept.texts.map((text) => text.at);
  return { role, text: content, value: withTexts(kept.value, at, (index) => texts[index] ?? ''), messageIds };
}

/** Undefined for what was not written here: whoever may write messages may write any `meta`. */
function readKept(json: string): Kept | undefined {
  try {
    const kept: unknown = JSON.parse(json);
    if (!isObject(kept) || !('value' in kept) || !Array.isArray(kept.texts)) return undefined;
    for (const { at, length } of kept.texts) if (typeof length !== 'number' || typeof textIn(kept.value, at) !== 'string') return undefined;
    return kept as unknown as Kept;
  } catch {
    return undefined;
  }
}

/** The texts that a content was joined of. One that was changed since is the first of them. */
function separate(content: string, texts: Kept['texts']): string[] {
  const length = texts.reduce((sum, text) => sum + text.length, BETWEEN_TEXTS.length * (texts.length - 1));
  if (length !== content.length) return [content];
  let at = 0;
  return texts.map((text) => {
    const from = at;
    at += text.length + BETWEEN_TEXTS.length;
    return content.slice(from, from + text.length);
  });
}

/** Records stay whole: no batch begins inside one. */
function batchesOf(records: readonly NewMessage[][]): NewMessage[][] {
  const batches: NewMessage[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const record of records) {
    const bytes = bytesOf(JSON.stringify(record));
    if (bytes > LARGEST_BATCH_BYTES) throw new CommonplaceError('A message must not have more than 9 MB');
    const last = batches.at(-1);
    if (last && last.length + record.length <= MOST_IN_BATCH && size + bytes <= LARGEST_BATCH_BYTES) {
      last.push(...record);
      size += bytes;
    } else {
      batches.push([...record]);
      size = bytes;
    }
  }
  return batches;
}

/** Pieces of JSON, each of which fits into a `meta` as a string. */
function cut(json: string): string[] {
  const pieces: string[] = [];
  let from = 0;
  let bytes = 0;
  for (let at = 0; at < json.length; ) {
    const code = json.codePointAt(at) as number;
    const width = code > 0xffff ? 2 : 1;
    const cost = code === 0x22 || code === 0x5c ? 2 : code < 0x80 ? 1 : code < 0x800 ? 2 : width + 2;
    if (bytes + cost > LARGEST_META_BYTES) {
      pieces.push(json.slice(from, at));
      from = at;
      bytes = 0;
    }
    bytes += cost;
    at += width;
  }
  return [...pieces, json.slice(from)];
}

function textIn(value: unknown, at: Path): string {
  // Own properties only, so that no path leads to a prototype.
  const found = at.reduce<unknown>((inner, key) => (isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined), value);
  if (typeof found !== 'string') throw new CommonplaceError(`There is no text at ${at.join('.')}`);
  return found;
}

/** A copy with other texts in these places. */
function withTexts(value: unknown, at: readonly Path[], text: (index: number) => string): unknown {
  if (at.length === 0) return value;
  const copy: unknown = JSON.parse(JSON.stringify(value));
  for (const [index, path] of at.entries()) {
    const last = path.at(-1);
    if (last === undefined) return text(index);
    const holder = path.slice(0, -1).reduce<unknown>((inner, key) => (inner as Record<string | number, unknown>)[key], copy);
    (holder as Record<string | number, unknown>)[last] = text(index);
  }
  return copy;
}

/** The service keeps no NUL and no half of a pair of surrogates. */
function isStorable(text: string): boolean {
  return !text.includes('\0') && !/\p{Surrogate}/u.test(text);
}

function shorten(text: string): string {
  const storable = text.replaceAll(/[\0\p{Surrogate}]/gu, '\ufffd').trim();
  return [...storable.slice(0, LONGEST_LABEL)].filter((char) => !/\p{Surrogate}/u.test(char)).join('') || '…';
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isPart(kept: unknown): kept is Part {
  return (
    isObject(kept) &&
    typeof kept.id === 'string' &&
    typeof kept.part === 'number' &&
    typeof kept.of === 'number' &&
    typeof kept.json === 'string'
  );
}
