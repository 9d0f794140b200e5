/** What reading a message takes and gives. */

/** Something that was said in the conversation. */
export interface Turn {
  readonly id: string;
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** A message of the user. */
export interface SourceMessage {
  readonly id: string;
  readonly content: string;
  readonly createdAt: string;
  /** What was said right before it, oldest first: `Any allergies?` tells what `yes, latex` means. */
  readonly before?: readonly Turn[] | undefined;
}

/** What is held to be true so far; its kind may be one that reading never gives. */
export interface KnownMemory {
  readonly id: string;
  readonly kind: string;
  readonly content: string;
  readonly slot: string | null;
  /** The newest message that says it, where one is known. */
  readonly saidIn?: string | undefined;
}

export type ExtractedKind = 'preference' | 'fact' | 'long_lived' | 'short_lived';

export interface ExtractedMemory {
  /** Names it within the answer, so that a later one can take its place. */
  readonly ref: string;
  readonly messageId: string;
  readonly kind: ExtractedKind;
  /** One short sentence in the third person: `User prefers aisle seats`. */
  readonly content: string;
  /** What this is the value of, where there is one value at a time: `home`, `name`, `likes coffee`. */
  readonly slot?: string | undefined;
  /** Others that it takes the place of: ids of known memories, or refs of this answer. */
  readonly replaces?: readonly string[] | undefined;
  /** Those of them that it can't be understood without: `no, I meant Thursday` says nothing by itself. */
  readonly restsOn?: readonly string[] | undefined;
  /** Messages before its own that it can't be understood without: the question that it answers. */
  readonly heardIn?: readonly string[] | undefined;
  /** The time from which it no longer holds, where that was said: `until Friday`. */
  readonly until?: string | undefined;
}

/** Something that is no longer true, or that the user wants forgotten, with nothing in its place. */
export interface Withdrawal {
  readonly messageId: string;
  /** The id of a known memory, or a ref of this answer. */
  readonly memory: string;
  /** The user asked for it to be forgotten. */
  readonly forgotten?: boolean | undefined;
}

export interface Extraction {
  /** In the order in which they were said. */
  readonly memories: readonly ExtractedMemory[];
  readonly withdrawn: readonly Withdrawal[];
  /** The messages that ask for all that was said before them to be forgotten, known or not. */
  readonly forgetsAll?: readonly string[] | undefined;
  /** The messages that ask for anything to be forgotten, known or not. */
  readonly forgetsIn?: readonly string[] | undefined;
  /** How many statements were left out because they looked like a secret. */
  readonly secrets: number;
}

/** What came of messages one after the other. */
export function joinExtractions(some: readonly Extraction[]): Extraction {
  const forgetsAll = some.flatMap((extraction) => extraction.forgetsAll ?? []);
  const forgetsIn = some.flatMap((extraction) => extraction.forgetsIn ?? []);
  return {
    memories: some.flatMap(({ memories }) => memories),
    withdrawn: some.flatMap(({ withdrawn }) => withdrawn),
    ...(forgetsAll.length > 0 && { forgetsAll }),
    ...(forgetsIn.length > 0 && { forgetsIn }),
    secrets: some.reduce((sum, { secrets }) => sum + secrets, 0),
  };
}

/** What is known once it was read, newest first. */
export function knownAfter(before: readonly KnownMemory[], { memories, withdrawn, forgetsAll = [] }: Extraction): KnownMemory[] {
  const since = forgetsAll.at(-1);
  let known = since === undefined ? [...before] : [];
  for (const { ref, messageId, kind, content, slot = null, replaces = [] } of memories) {
    // Ids of messages sort by their times.
    if (since !== undefined && messageId < since) continue;
    known = known.filter((memory) => !replaces.includes(memory.id) && (slot === null || memory.slot !== slot));
    known.unshift({ id: ref, kind, content, slot, saidIn: messageId });
  }
  const gone = new Set(withdrawn.map(({ memory }) => memory));
  return known.filter(({ id }) => !gone.has(id));
}
