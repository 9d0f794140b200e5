/** New memories held against those that a session has: the same again, a newer one in an older one's place, or one more. */
import type { MemoryKind } from '@commonplace/contract/memories';
import type { ExtractedMemory, ExtractionResult, SourceMessage, Withdrawal } from './extractor.ts';
import { fingerprintOf } from './fingerprint.ts';

/** A memory of the session, as consolidation sees it. */
export interface SessionMemory {
  readonly id: string;
  readonly kind: MemoryKind;
  readonly content: string;
  readonly slot: string | null;
  readonly fingerprint: string;
  /** Nothing but their writers take away what was written. */
  readonly source: 'written' | 'extracted';
  /** Of one that was extracted first and changed by hand since: what it was, and which messages said that. */
  readonly origin?: { readonly fingerprint: string; readonly causeIds: ReadonlySet<string> } | undefined;
  readonly extractor: string;
  /** Those of its first cause. */
  readonly messageIds: readonly string[];
  /** The newest message that says it; null for a written one. Ids of messages sort by their times. */
  readonly causeId: string | null;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly supersededAt: string | null;
  readonly supersededBy: string | null;
  readonly history: readonly FormerMemory[];
}

/** What a memory took the place of; it stays in its `meta`. */
export interface FormerMemory {
  readonly id: string;
  readonly content: string;
  readonly until: string;
}

/** That a message says a memory: it and, for a correction, those that it corrects. */
export interface Cause {
  readonly memoryId: string;
  readonly causeId: string;
  readonly messageIds: readonly string[];
}

export interface WithdrawnMemory {
  readonly memoryId: string;
  readonly messageId: string;
  readonly at: string;
  /** The user asked for it to be forgotten. */
  readonly forgotten: boolean;
}

const MOST_FORMER = 10;
/** Said again, a memory that ends lives longer; not by a write each time. */
const LEAST_PROLONGED_MS = 60 * 60 * 1000;

/** The memories of one session while messages are taken in, in any order of their times. */
export class Consolidation {
  readonly #held = new Map<string, SessionMemory>();
  readonly #byFingerprint = new Map<string, Set<string>>();
  readonly #bySlot = new Map<string, Set<string>>();
  readonly #newId: (createdAt: string) => string;
  readonly #shortLivedMs: number;
  readonly #byOrigin = new Map<string, Set<string>>();
  /**
   * Something was said before what is known already: when each thing began and ceased to hold can only be told by taking all
   * messages in their order.
   */
  isOutOfOrder = false;
  readonly created = new Set<string>();
  /** Of those that were there before. */
  readonly changed = new Set<string>();
  readonly causes: Cause[] = [];
  readonly withdrawn: WithdrawnMemory[] = [];

  constructor(held: readonly SessionMemory[], options: { newId: (createdAt: string) => string; shortLivedMs: number }) {
    this.#newId = options.newId;
    this.#shortLivedMs = options.shortLivedMs;
    for (const memory of held) this.#put(memory);
  }

  get isUnchanged(): boolean {
    return this.created.size + this.changed.size + this.causes.length === 0;
  }

  get(id: string): SessionMemory {
    return this.#held.get(id) as SessionMemory;
  }

  /** All that it has now, former ones too. */
  all(): SessionMemory[] {
    return [...this.#held.values()];
  }

  /** What was said once, and does not hold any more. */
  ended(): SessionMemory[] {
    return this.all().filter(({ kind, source, supersededAt }) => kind !== 'summary' && source === 'extracted' && supersededAt !== null);
  }

  /** Something that the summary was made from ended with what was taken in. */
  get isSummaryOutdated(): boolean {
    const summary = this.#summary();
    const told = new Set(summary?.messageIds);
    const changed = new Set([...this.created, ...this.changed]);
    return this.ended().some(({ id, messageIds }) => changed.has(id) && messageIds.some((messageId) => told.has(messageId)));
  }

  #summary(): SessionMemory | undefined {
    return this.all().find(({ kind, source, supersededAt }) => kind === 'summary' && source === 'extracted' && supersededAt === null);
  }

  /** What came of messages; `extractor` stands in the `meta` of what is new. */
  take(messages: readonly SourceMessage[], extraction: ExtractionResult, extractor: string): void {
    const ids = new Map<string, string>();
    for (const message of messages) {
      const withdrawn = extraction.withdrawn.filter(({ messageId }) => messageId === message.id);
      const forgotten = withdrawn.filter((withdrawal) => withdrawal.forgotten);
      const end = (some: readonly Withdrawal[]) => {
        for (const { memory, forgotten: isForgotten } of some) {
          const held = this.#held.get(ids.get(memory) ?? memory);
          if (held) this.#withdraw(held, message, isForgotten === true);
        }
      };
      // Nothing takes the place of what is forgotten.
      end(forgotten);
      if (extraction.forgetsAll?.includes(message.id))
        for (const held of this.all()) if ((held.causeId ?? '') < message.id) this.#withdraw(held, message, true);
      for (const memory of extraction.memories) {
        if (memory.messageId !== message.id) continue;
        const named = (names: readonly string[] = []) => names.map((name) => ids.get(name) ?? name);
        const id = this.#takeOne(message, { ...memory, replaces: named(memory.replaces), restsOn: named(memory.restsOn) }, extractor);
        if (id !== undefined) ids.set(memory.ref, id);
      }
      end(withdrawn);
    }
  }

  /** Something else says what the session was about, or nothing does: then one that is outdated ends. */
  summarize(
    summary: { content: string; messageIds: readonly string[] } | undefined,
    at: string,
    extractor: string,
    { isOutdated = false } = {},
  ): void {
    const before = this.#summary();
    // One that a person or program wrote stands for the session.
    const isWritten = this.all().some(
      ({ kind, source, supersededAt }) => kind === 'summary' && source === 'written' && supersededAt === null,
    );
    if (isWritten) return;
    if (!summary) {
      if (before && (isOutdated || this.isSummaryOutdated)) this.#change(before, { supersededAt: at, supersededBy: null });
      return;
    }
    const { content, messageIds } = summary;
    if (before?.content === content) return;
    const id = this.#newId(at);
    if (before) this.#change(before, { supersededAt: at, supersededBy: id });
    this.#create({
      ...empty,
      id,
      kind: 'summary',
      content,
      fingerprint: fingerprintOf(content),
      extractor,
      messageIds,
      causeId: id,
      createdAt: at,
    });
    this.causes.push({ memoryId: id, causeId: id, messageIds });
  }

  /** The id of the memory that now says it; nothing where it says nothing new. */
  #takeOne(message: SourceMessage, memory: ExtractedMemory, extractor: string): string | undefined {
    const fingerprint = fingerprintOf(memory.content);
    const same = this.#find(this.#byFingerprint.get(fingerprint)).filter((held) => isCurrent(held, message.createdAt));
    const [known] = same;
    if (known) {
      this.#repeat(known, message, memory);
      return known.id;
    }
    const changed = this.#find(this.#byOrigin.get(fingerprint)).find(({ origin }) => origin?.causeIds.has(message.id));
    if (changed) {
      this.causes.push({ memoryId: changed.id, causeId: message.id, messageIds: [message.id] });
      return changed.id;
    }
    if (this.#isPastedBack(fingerprint, message)) return undefined;
    const ofSlot = this.#find(memory.slot === undefined ? [] : this.#bySlot.get(memory.slot));
    if (ofSlot.some(({ causeId }) => causeId !== null && causeId > message.id)) this.isOutOfOrder = true;
    const rivals = [...new Set([...this.#find(memory.replaces), ...ofSlot])].filter((held) => isCurrent(held, message.createdAt));
    const newer = rivals.filter(({ causeId }) => causeId !== null && causeId > message.id);
    const older = rivals.filter((held) => this.#mayEnd(held, message));
    const [successor] = newer.toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
    const id = this.#newId(message.createdAt);
    for (const held of older) this.#change(held, { supersededAt: message.createdAt, supersededBy: successor?.id ?? id });
    const rests = this.#find(memory.restsOn).flatMap((held) => held.messageIds);
    const messageIds = [...new Set([...rests, ...(memory.heardIn ?? []), message.id])];
    this.#create({
      ...empty,
      id,
      kind: memory.kind,
      content: memory.content,
      slot: memory.slot ?? null,
      fingerprint,
      extractor,
      messageIds,
      causeId: message.id,
      createdAt: message.createdAt,
      expiresAt: expiryOf(memory, message, this.#shortLivedMs),
      supersededAt: successor?.createdAt ?? null,
      supersededBy: successor?.id ?? null,
      history: older
        .flatMap((held) => [...held.history, { id: held.id, content: held.content, until: message.createdAt }])
        .slice(-MOST_FORMER),
    });
    this.causes.push({ memoryId: id, causeId: message.id, messageIds });
    return id;
  }

  #repeat(known: SessionMemory, message: SourceMessage, memory: ExtractedMemory): void {
    if (known.source === 'written') return;
    if (message.createdAt < known.createdAt) this.isOutOfOrder = true;
    this.causes.push({ memoryId: known.id, causeId: message.id, messageIds: [...(memory.heardIn ?? []), message.id] });
    const causeId = known.causeId === null || known.causeId < message.id ? message.id : known.causeId;
    const expiresAt = expiryOf({ kind: known.kind, until: memory.until }, message, this.#shortLivedMs);
    const isLonger = expiresAt && known.expiresAt && Date.parse(expiresAt) - Date.parse(known.expiresAt) > LEAST_PROLONGED_MS;
    if (isLonger) this.#change(known, { causeId, expiresAt });
    else this.#put({ ...known, causeId });
  }

  #withdraw(held: SessionMemory, message: SourceMessage, forgotten: boolean): void {
    if (!isCurrent(held, message.createdAt) || !this.#mayEnd(held, message)) return;
    this.#change(held, { supersededAt: message.createdAt, supersededBy: null });
    this.withdrawn.push({ memoryId: held.id, messageId: message.id, at: message.createdAt, forgotten });
  }

  /** Said before, if only in the same message, and not a person's own words. */
  #mayEnd(held: SessionMemory, message: SourceMessage): boolean {
    return held.source === 'extracted' && held.kind !== 'summary' && (held.causeId ?? '') <= message.id;
  }

  /** An agent that shows what it remembers says nothing new, even if it no longer holds. */
  #isPastedBack(fingerprint: string, message: SourceMessage): boolean {
    return this.#find(this.#byFingerprint.get(fingerprint)).some(({ content }) => message.content.includes(content));
  }

  #create(memory: SessionMemory): void {
    this.created.add(memory.id);
    this.#put(memory);
  }

  #change(held: SessionMemory, changes: Partial<SessionMemory>): void {
    if (!this.created.has(held.id)) this.changed.add(held.id);
    this.#put({ ...held, ...changes });
  }

  #put(memory: SessionMemory): void {
    this.#held.set(memory.id, memory);
    entry(this.#byFingerprint, memory.fingerprint).add(memory.id);
    if (memory.slot !== null) entry(this.#bySlot, memory.slot).add(memory.id);
    if (memory.origin) entry(this.#byOrigin, memory.origin.fingerprint).add(memory.id);
  }

  #find(ids: Iterable<string> | undefined): SessionMemory[] {
    return [...(ids ?? [])].flatMap((id) => this.#held.get(id) ?? []);
  }
}

const empty = {
  slot: null,
  source: 'extracted',
  expiresAt: null,
  supersededAt: null,
  supersededBy: null,
  history: [],
} as const satisfies Partial<SessionMemory>;

/** When it was said to end; what is over soon ends by itself where nothing was said. */
export function expiryOf(
  { kind, until }: { readonly kind: MemoryKind; readonly until?: string | undefined },
  { createdAt }: SourceMessage,
  shortLivedMs: number,
): string | null {
  if (kind !== 'short_lived') return null;
  return until !== undefined && until > createdAt ? until : new Date(Date.parse(createdAt) + shortLivedMs).toISOString();
}

export function isCurrent({ supersededAt, expiresAt }: SessionMemory, at: string): boolean {
  return supersededAt === null && (expiresAt === null || expiresAt > at);
}

function entry(map: Map<string, Set<string>>, key: string): Set<string> {
  const found = map.get(key) ?? new Set<string>();
  map.set(key, found);
  return found;
}
