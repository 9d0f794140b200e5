/** From what was extracted to what it asserts about a person. */
import { hash } from 'node:crypto';
import { idOfDigest } from '../../db/ids.ts';
import type { Assertion, AssertionSource } from '../topics.ts';
import { expiryOf, isCurrent, type SessionMemory } from './consolidation.ts';
import type { ExtractedMemory, ExtractionResult, KnownMemory, SourceMessage } from './extractor.ts';
import { fingerprintOf } from './fingerprint.ts';

/** A memory of the person, whatever session it is from. */
export interface KnownOfPerson extends KnownMemory {
  readonly fingerprintDigest: string;
  readonly sources: readonly AssertionSource[];
  /** Nothing that is said ends what a person or program wrote. */
  readonly source: 'written' | 'extracted';
}

export interface AssertionOptions {
  readonly sessionId: string;
  readonly personId: string;
  readonly extractor: string;
  readonly shortLivedMs: number;
  readonly newId: (saidAt: string) => string;
  /** What the messages were read with. */
  readonly known: readonly KnownOfPerson[];
  /** Of the session, by people and programs. */
  readonly written: readonly SessionMemory[];
}

/** What it is the value of, where there is one value at a time; else what it says. */
export function topicIdOf(slot: string | null | undefined, fingerprintDigest: string): string {
  return idOfDigest(hash('sha256', JSON.stringify(slot == null ? ['says', fingerprintDigest] : ['slot', slot]), 'buffer'));
}

/** A fingerprint can be read; of what somebody deleted, nothing must be left to read. */
export function fingerprintDigestOf(fingerprint: string): string {
  return idOfDigest(hash('sha256', JSON.stringify(['fingerprint', fingerprint]), 'buffer'));
}

/** In the order in which it was said. */
export function assertionsOf(
  messages: readonly SourceMessage[],
  { memories, withdrawn, forgetsAll = [] }: ExtractionResult,
  options: AssertionOptions,
): Assertion[] {
  const named = new Map(options.known.map((memory) => [memory.id, memory]));
  const ordinals = new Map<string, number>();
  const made: Assertion[] = [];
  const assertionIn = (
    message: SourceMessage,
    fields: Pick<Assertion, 'topicId' | 'fingerprintDigest'> & Partial<Assertion>,
  ): Assertion => {
    const ordinal = ordinals.get(message.id) ?? 0;
    ordinals.set(message.id, ordinal + 1);
    const { id: messageId, createdAt: saidAt } = message;
    const { sessionId, personId } = options;
    const place = { id: options.newId(saidAt), sessionId, personId, messageId, ordinal, saidAt };
    const assertion = { ...nothingSaid, ...place, sources: [{ sessionId, messageId }], ...fields };
    made.push(assertion);
    return assertion;
  };
  const endIn = (message: SourceMessage, ended: KnownOfPerson, successor: Assertion | null, forgotten = false) => {
    const { fingerprintDigest, slot } = ended;
    const successorTopicId = successor?.topicId ?? null;
    assertionIn(message, {
      topicId: topicIdOf(slot, fingerprintDigest),
      fingerprintDigest,
      successorId: successor?.id ?? null,
      successorTopicId,
      forgotten,
    });
  };

  const say = (message: SourceMessage, memory: ExtractedMemory) => {
    const fingerprint = fingerprintOf(memory.content);
    if (options.written.some((held) => held.fingerprint === fingerprint && isCurrent(held, message.createdAt))) return;
    const slot = memory.slot ?? null;
    const fingerprintDigest = fingerprintDigestOf(fingerprint);
    const topicId = topicIdOf(slot, fingerprintDigest);
    const { kind, content } = memory;
    const assertion = assertionIn(message, {
      topicId,
      fingerprintDigest,
      kind,
      content,
      slot,
      extractor: options.extractor,
      sources: sourcesOf(memory, message, named, options.sessionId),
      expiresAt: expiryOf(memory, message, options.shortLivedMs),
    });
    named.set(memory.ref, { id: assertion.id, kind, content, slot, fingerprintDigest, sources: assertion.sources, source: 'extracted' });
    for (const ended of (memory.replaces ?? []).flatMap((name) => named.get(name) ?? [])) {
      const isElsewhere = topicIdOf(ended.slot, ended.fingerprintDigest) !== topicId;
      if (ended.source === 'extracted' && isElsewhere) endIn(message, ended, assertion);
    }
  };
  for (const message of messages) {
    const own = withdrawn.filter(({ messageId }) => messageId === message.id);
    // Nothing takes the place of what is forgotten: it ends first, each once, whatever name it goes by.
    const isAllMeant = forgetsAll.includes(message.id);
    const isAsked = isAllMeant || own.some(({ forgotten }) => forgotten);
    const before = new Map(isAsked ? [...named.values()].map((memory) => [memory.id, memory]) : []);
    const meant = isAllMeant
      ? [...before.keys()]
      : own.flatMap(({ memory, forgotten }) => (forgotten ? (named.get(memory)?.id ?? []) : []));
    for (const id of new Set(meant)) {
      const ended = before.get(id);
      if (ended?.source === 'extracted') endIn(message, ended, null, true);
    }
    for (const memory of memories) if (memory.messageId === message.id) say(message, memory);
    for (const { memory, forgotten } of own) {
      const ended = named.get(memory);
      if (ended?.source === 'extracted' && !(forgotten && before.has(ended.id))) endIn(message, ended, null, forgotten);
    }
  }
  return made;
}

const nothingSaid = {
  kind: null,
  content: null,
  slot: null,
  extractor: null,
  successorId: null,
  successorTopicId: null,
  expiresAt: null,
  forgotten: false,
  overridden: false,
} as const;

/** Its message, and those of what it can't be understood without. */
function sourcesOf(
  { restsOn = [], heardIn = [] }: ExtractedMemory,
  message: SourceMessage,
  named: ReadonlyMap<string, KnownOfPerson>,
  sessionId: string,
): AssertionSource[] {
  const own = [...heardIn, message.id].map((messageId) => ({ sessionId, messageId }));
  const all = [...restsOn.flatMap((name) => named.get(name)?.sources ?? []), ...own];
  return [...new Map(all.map((source) => [source.messageId, source])).values()];
}
