/** Memories found by a language model. */
import { redactedExcerpt } from '@commonplace/english/redaction';
import type { Log } from '../../../logging.ts';
import type { Endpoint } from '../../../remote/endpoint.ts';
import type { ExtractedMemory, ExtractionResult, Extractor, KnownMemory, SourceMessage, Withdrawal } from '../extractor.ts';
import { batchMessages } from './batches.ts';
import { Chat, type Usage } from './chat.ts';
import { type Checked, checkAnswer } from './checks.ts';
import { selectKnown } from './known.ts';
import { defaultLimits, type LlmLimits } from './limits.ts';
import { writePrompt } from './prompt.ts';
import { LlmUnavailable } from './unavailable.ts';

/** `url` is what `/chat/completions` is added to. */
export interface LlmOptions extends Endpoint {
  /** What looks like a secret never becomes a memory. */
  readonly isSecret: (text: string) => boolean;
  readonly log?: Log | undefined;
  readonly limits?: Partial<LlmLimits> | undefined;
}

export interface LlmExtractor extends Extractor {
  /** Throws `LlmUnavailable`, with the tokens used until then, or what the signal was aborted with. */
  extract(
    messages: readonly SourceMessage[],
    known: readonly KnownMemory[],
    signal: AbortSignal,
  ): Promise<ExtractionResult & { tokens: number }>;
  gauges(): Record<string, number>;
}

const MAX_KNOWN_CHARACTERS = 300;
/** More than is shown, so that what is secret is recognized. */
const MAX_KNOWN_CHARACTERS_READ = 2_000;

/** Nobody is asked before the first use. Throws `LlmUnavailable` where the settings can not be used. */
export function createLlmExtractor(options: LlmOptions): LlmExtractor {
  const { url, model, apiKey, isSecret, log } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const chat = new Chat({ url, model, apiKey }, limits, log);
  let droppedTotal = 0;

  const show = (memory: KnownMemory): KnownMemory => ({
    ...memory,
    content: redactedExcerpt(memory.content, MAX_KNOWN_CHARACTERS_READ).slice(0, MAX_KNOWN_CHARACTERS).toWellFormed(),
  });

  async function extractAll(messages: readonly SourceMessage[], before: readonly KnownMemory[], usage: Usage, signal: AbortSignal) {
    const memories: ExtractedMemory[] = [];
    const withdrawn: Withdrawal[] = [];
    const forgetsAll: string[] = [];
    const forgetsIn: string[] = [];
    let secrets = 0;
    let refs = 0;
    let known = before;
    for (const batch of batchMessages(messages, limits)) {
      const shown = selectKnown(known, batch, limits.maxKnown).map(show);
      const answer = await chat.ask(writePrompt(batch, shown), usage, signal);
      const checked = checkAnswer(answer, {
        messages: batch,
        known: shown,
        isSecret,
        maxMemoriesPerMessage: limits.maxMemoriesPerMessage,
        newRef: () => `new-${++refs}`,
      });
      memories.push(...checked.memories);
      withdrawn.push(...checked.withdrawn);
      forgetsAll.push(...checked.forgetsAll);
      forgetsIn.push(...checked.forgetsIn);
      secrets += checked.secrets;
      droppedTotal += checked.dropped;
      known = bringUpToDate(known, checked);
    }
    return { memories, withdrawn, forgetsAll, forgetsIn, secrets };
  }

  return {
    name: `llm:${model}`,
    async extract(messages, known, signal) {
      signal.throwIfAborted();
      const usage: Usage = { tokens: 0 };
      try {
        const found = await extractAll(messages, known, usage, signal);
        return { ...found, tokens: usage.tokens };
      } catch (error) {
        if (error instanceof LlmUnavailable) error.tokens = usage.tokens;
        throw error;
      }
    },
    gauges: () => ({ ...chat.gauges(), dropped_items_total: droppedTotal }),
  };
}

/** What is known once an answer holds, newest first: the next request speaks of it. */
function bringUpToDate(before: readonly KnownMemory[], { memories, withdrawn, forgetsAll }: Checked): KnownMemory[] {
  const gone = new Set(withdrawn.map(({ memory }) => memory));
  // What an answer notes is said after all that it forgets.
  let known = forgetsAll.length > 0 ? [] : before.filter(({ id }) => !gone.has(id));
  for (const { ref, kind, content, slot = null, replaces = [] } of memories) {
    const stays = (other: KnownMemory) => !replaces.includes(other.id) && (slot === null || other.slot !== slot);
    known = [{ id: ref, kind, content, slot }, ...known.filter(stays)];
  }
  return known;
}
