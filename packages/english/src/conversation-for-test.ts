/** Messages told one after the other, for the tests of extraction. */

import { extractFromMessage } from './extract.ts';
import { type KnownMemory, knownAfter } from './extraction.ts';
import type { Gate } from './gate/candidate.ts';

/** What a rule knows, and nothing else: a test of a rule is no test of what was learnt. */
export const passRuled: Gate = ({ finding, ruled }) => (ruled ? finding : undefined);

/** A Friday. */
export const DAY = '2026-11-13T09:41:00.000Z';

export interface Told {
  /** What is held at the end, newest first. */
  readonly held: readonly KnownMemory[];
  readonly secrets: number;
}

export function tell(...messages: readonly string[]): Told {
  return tellOn(DAY, ...messages);
}

export function tellOn(createdAt: string, ...messages: readonly string[]): Told {
  let held: KnownMemory[] = [];
  let secrets = 0;
  for (const [i, content] of messages.entries()) {
    const extraction = extractFromMessage({ id: `message-${i}`, content, createdAt }, held, passRuled);
    secrets += extraction.secrets;
    held = knownAfter(held, extraction);
  }
  return { held, secrets };
}

/** In the order in which they were said. */
export function contents(...messages: readonly string[]): string[] {
  return tell(...messages)
    .held.map(({ content }) => content)
    .reverse();
}
