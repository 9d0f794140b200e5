/** Holds each item of an answer against what it may be. What does not fit is dropped. */
import { z } from 'zod';
import { ExtractedKind, type ExtractedMemory, type KnownMemory, type SourceMessage, type Withdrawal } from '../extractor.ts';
import type { Answer } from './answer.ts';

export interface CheckOptions {
  /** Those that the model was shown, in the same order. */
  readonly messages: readonly SourceMessage[];
  readonly known: readonly KnownMemory[];
  readonly isSecret: (text: string) => boolean;
  readonly maxMemoriesPerMessage: number;
  readonly newRef: () => string;
}

export interface Checked {
  readonly memories: readonly ExtractedMemory[];
  readonly withdrawn: readonly Withdrawal[];
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
  replaces: z.array(z.unknown()).catch([]),
});
const Withdrawn = z.object({ message: z.int(), memory: z.int() });

export function checkAnswer(answer: Answer, options: CheckOptions): Checked {
  const items = checkItems(answer.memories, options);
  const replaced = new Set(items.memories.flatMap(({ replaces }) => replaces ?? []));
  const withdrawals = checkWithdrawals(answer.withdrawn ?? [], replaced, options);
  return { ...items, withdrawn: withdrawals.withdrawn, dropped: items.dropped + withdrawals.dropped };
}

function checkItems(items: readonly unknown[], { messages, known, isSecret, maxMemoriesPerMessage, newRef }: CheckOptions) {
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
    const same = content.toLowerCase();
    const replaces = idsOf(data.replaces, known).filter((id) => id !== ids.get(same));
    if (seen.has(same) || (ids.has(same) && replaces.length === 0)) continue;
    seen.add(same);
    ofMessage.push({ messageId: message.id, kind, content, slot, replaces });
  }
  const memories = found.flat().map((memory): ExtractedMemory => ({ ref: newRef(), ...memory }));
  return { memories, secrets, dropped };
}

function checkWithdrawals(items: readonly unknown[], replaced: ReadonlySet<string>, { messages, known }: CheckOptions) {
  const found = new Map<string, number>();
  let dropped = 0;
  for (const item of items) {
    const { data } = Withdrawn.safeParse(item);
    const memory = data && known[data.memory - 1];
    if (!memory || !messages[data.message - 1]) dropped++;
    else if (!replaced.has(memory.id) && !found.has(memory.id)) found.set(memory.id, data.message);
  }
  const withdrawn = [...found]
    .sort(([, left], [, right]) => left - right)
    .map(([memory, message]): Withdrawal => ({ messageId: (messages[message - 1] as SourceMessage).id, memory }));
  return { withdrawn, dropped };
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
