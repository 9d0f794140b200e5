/** Holds each item of an answer against what it may be. What does not fit is dropped. */
import { z } from 'zod';
import { ExtractedKind, type ExtractedMemory, type KnownMemory, type Withdrawal } from '../extractor.ts';
import type { Answer } from './answer.ts';
import type { ShownMessage } from './batches.ts';
import { endAfter } from './ends.ts';

export interface CheckOptions {
  /** Those that the model was shown, in the same order. */
  readonly messages: readonly ShownMessage[];
  readonly known: readonly KnownMemory[];
  readonly isSecret: (text: string) => boolean;
  readonly maxMemoriesPerMessage: number;
  readonly newRef: () => string;
}

export interface Checked {
  readonly memories: readonly ExtractedMemory[];
  readonly withdrawn: readonly Withdrawal[];
  readonly forgetsAll: readonly string[];
  /** The messages that want something forgotten that was not shown as known. */
  readonly forgetsIn: readonly string[];
  readonly secrets: number;
  /** Items that were bad; secrets and repetitions are not. */
  readonly dropped: number;
}

/** Lines, controls and halves of pairs of surrogates: a memory is one line, and databases refuse some of these. */
const UNFIT = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u;
const line = (maxCharacters: number) =>
  z
    .string()
    .min(1)
    .max(maxCharacters)
    .refine((text) => !UNFIT.test(text));

const Item = z.object({
  message: z.int(),
  kind: ExtractedKind,
  content: z.string().transform(tidyContent).pipe(line(300)),
  // Without them an item is still worth having.
  slot: z.string().transform(tidySlot).pipe(line(60)).optional().catch(undefined),
  until: z.string().optional().catch(undefined),
  answers: z.boolean().catch(false),
  replaces: z.array(z.unknown()).catch([]),
});
const Withdrawn = z.object({ message: z.int(), memory: z.int().nullable(), forgotten: z.boolean().catch(false) });

/** What no longer holds after the answer, by the numbers of the messages that say so. */
interface Endings {
  /** The last that wants all before it forgotten; 0 where none does. */
  readonly allBefore: number;
  readonly ofMemories: ReadonlyMap<string, { readonly message: number; readonly forgotten: boolean }>;
}

export function checkAnswer(answer: Answer, options: CheckOptions): Checked {
  const { messages } = options;
  const forgettings = checkForgettings(answer.forget_all ?? [], messages);
  const withdrawals = checkWithdrawals(answer.withdrawn ?? [], options);
  const endings = { allBefore: forgettings.numbers.at(-1) ?? 0, ofMemories: withdrawals.found };
  const items = checkItems(answer.memories, endings, options);
  const replaced = new Set(items.memories.flatMap(({ replaces }) => replaces ?? []));
  const withdrawn = [...withdrawals.found]
    .filter(([memory]) => !replaced.has(memory))
    .sort(([, left], [, right]) => left.message - right.message)
    .map(
      ([memory, { message, forgotten }]): Withdrawal => ({ messageId: idOf(messages, message), memory, ...(forgotten && { forgotten }) }),
    );
  return {
    ...items,
    withdrawn,
    forgetsAll: forgettings.numbers.map((number) => idOf(messages, number)),
    forgetsIn: [...withdrawals.unknownIn].map((number) => idOf(messages, number)),
    dropped: items.dropped + withdrawals.dropped + forgettings.dropped,
  };
}

function checkItems(
  items: readonly unknown[],
  endings: Endings,
  { messages, known, isSecret, maxMemoriesPerMessage, newRef }: CheckOptions,
) {
  const found = messages.map((): Omit<ExtractedMemory, 'ref'>[] => []);
  const ids = new Map(known.map(({ id, content }) => [content.toLowerCase(), id]));
  const seen = new Set<string>();
  let secrets = 0;
  let dropped = 0;
  for (const item of items) {
    const { data } = Item.safeParse(item);
    const ofMessage = data && found[data.message - 1];
    const message = data && messages[data.message - 1];
    if (!ofMessage || !message || ofMessage.length >= maxMemoriesPerMessage) {
      dropped++;
      continue;
    }
    const { kind, content, slot } = data;
    if (isSecret(content) || (slot !== undefined && isSecret(slot))) {
      secrets++;
      continue;
    }
    if (data.message < endings.allBefore) continue;
    const same = content.toLowerCase();
    const knownId = ids.get(same);
    const replaces = idsOf(data.replaces, known).filter((id) => id !== knownId && !isForgotten(id, endings));
    const isKnown = knownId !== undefined && !hasEndedBefore(knownId, data.message, endings);
    const until = data.until === undefined ? undefined : endAfter(data.until, message.createdAt);
    // What is known may hold longer than was said before.
    if (seen.has(same) || (isKnown && replaces.length === 0 && until === undefined)) continue;
    seen.add(same);
    ofMessage.push({
      messageId: message.id,
      // What is said to end is of the kind that does.
      kind: until === undefined ? kind : 'short_lived',
      content,
      slot,
      replaces,
      heardIn: data.answers && message.before ? [message.before.id] : undefined,
      until,
    });
  }
  const memories = found.flat().map((memory): ExtractedMemory => ({ ref: newRef(), ...memory }));
  return { memories, secrets, dropped };
}

/** What the user wants forgotten stands in no history of what takes its place. */
function isForgotten(id: string, { allBefore, ofMemories }: Endings): boolean {
  return allBefore > 0 || ofMemories.get(id)?.forgotten === true;
}

/** Said again after that, it is new. */
function hasEndedBefore(id: string, message: number, { allBefore, ofMemories }: Endings): boolean {
  const ending = ofMemories.get(id);
  return allBefore > 0 || (ending !== undefined && ending.message < message);
}

function checkWithdrawals(items: readonly unknown[], { messages, known }: CheckOptions) {
  const found = new Map<string, { message: number; forgotten: boolean }>();
  const unknownIn = new Set<number>();
  let dropped = 0;
  for (const item of items) {
    const { data } = Withdrawn.safeParse(item);
    const isThere = data && messages[data.message - 1] !== undefined;
    if (isThere && data.memory === null && data.forgotten) {
      unknownIn.add(data.message);
      continue;
    }
    const memory = data && known[(data.memory ?? 0) - 1];
    if (!memory || !isThere) {
      dropped++;
      continue;
    }
    const { message, forgotten } = found.get(memory.id) ?? data;
    found.set(memory.id, { message, forgotten: forgotten || data.forgotten });
  }
  return { found, unknownIn, dropped };
}

/** The numbers in order, each once. */
function checkForgettings(items: readonly unknown[], messages: readonly ShownMessage[]) {
  const numbers = items.filter((item): item is number => typeof item === 'number' && messages[item - 1] !== undefined);
  return { numbers: [...new Set(numbers)].sort((left, right) => left - right), dropped: items.length - numbers.length };
}

function idOf(messages: readonly ShownMessage[], number: number): string {
  return (messages[number - 1] as ShownMessage).id;
}

function idsOf(numbers: readonly unknown[], known: readonly KnownMemory[]): string[] {
  const ids = numbers.flatMap((number) => (typeof number === 'number' ? (known[number - 1]?.id ?? []) : []));
  return [...new Set(ids)];
}

/** As memories are written: `User …`, without the full stop that a sentence would have; that of `U.S.` or `…` stays. */
function tidyContent(content: string): string {
  return content
    .trim()
    .replace(/^the user\b/i, 'User')
    .replace(/(?<!\.|\.\p{L})[.。]$/u, '')
    .trimEnd();
}

function tidySlot(slot: string): string {
  return slot.trim().toLowerCase().replace(/[ _]+/g, ' ');
}
