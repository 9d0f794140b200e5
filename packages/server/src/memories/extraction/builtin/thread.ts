/** The built-in extractor in a thread of its own: reading English is work that requests should not wait for. */
import { parentPort } from 'node:worker_threads';
import type { ExtractedMemory, Extraction, KnownMemory, SourceMessage, Withdrawal } from '../extractor.ts';
import { extractFromMessage } from './extract.ts';

export interface Asked {
  readonly number: number;
  readonly messages: readonly SourceMessage[];
  readonly known: readonly KnownMemory[];
}

export interface Answered {
  readonly number: number;
  readonly extraction?: Extraction;
  readonly failure?: string;
}

parentPort?.on('message', ({ number, messages, known }: Asked) => {
  let answer: Answered;
  try {
    answer = { number, extraction: extractAll(messages, known) };
  } catch (error) {
    answer = { number, failure: error instanceof Error ? error.message : String(error) };
  }
  parentPort?.postMessage(answer);
});

/** Each message is read with what those before it said. */
function extractAll(messages: readonly SourceMessage[], before: readonly KnownMemory[]): Extraction {
  const memories: ExtractedMemory[] = [];
  const withdrawn: Withdrawal[] = [];
  let secrets = 0;
  let known = [...before];
  for (const message of messages) {
    const extraction = extractFromMessage(message, known);
    memories.push(...extraction.memories);
    withdrawn.push(...extraction.withdrawn);
    secrets += extraction.secrets;
    for (const { ref, kind, content, slot = null, replaces = [] } of extraction.memories) {
      known = known.filter((memory) => !replaces.includes(memory.id) && (slot === null || memory.slot !== slot));
      known.unshift({ id: ref, kind, content, slot });
    }
    const gone = new Set(extraction.withdrawn.map(({ memory }) => memory));
    known = known.filter(({ id }) => !gone.has(id));
  }
  return { memories, withdrawn, secrets };
}
