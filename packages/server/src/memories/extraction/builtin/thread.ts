/** What the thread of the built-in extractor runs: reading English is work that requests should not wait for. */
import { extractFromMessage } from '@commonplace/english/extract';
import type { ExtractedMemory, Extraction, KnownMemory, SourceMessage, Withdrawal } from '../extractor.ts';

/** Each message is read with what those before it said. */
export function extractAll(messages: readonly SourceMessage[], before: readonly KnownMemory[]): Extraction {
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
