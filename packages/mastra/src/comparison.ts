/** A context beside what the caller passes: nothing comes twice. */
import type { ContextMessage } from '@commonplace/client';

export interface Said {
  readonly role: string;
  readonly text: string;
}

export interface Comparison {
  readonly system: string;
  /** What the session adds to the conversation. */
  readonly history: { readonly role: 'user' | 'assistant'; readonly text: string }[];
  /** Of what is new: what the session does not end in already. */
  readonly unwritten: readonly Said[];
}

/** What is new are the user’s messages at the end. */
export function splitNew(said: readonly Said[]): { earlier: readonly Said[]; fresh: readonly Said[] } {
  const start = said.findLastIndex(({ role }) => role !== 'user') + 1;
  return { earlier: said.slice(0, start), fresh: said.slice(start) };
}

export function compareWithContext(passed: readonly Said[], context: readonly ContextMessage[]): Comparison {
  const { earlier, fresh } = splitNew(passed);
  const known = context.flatMap(({ role, content }) => (role === 'system' ? [] : [{ role, text: content }]));
  const written = countWritten(known, fresh);
  const left = earlier.map(keyOf);
  const history: Comparison['history'] = [];
  // From the end: of a text that was said more than once, the caller passes the latest.
  for (const said of known.slice(0, known.length - written).reverse()) {
    const at = left.lastIndexOf(keyOf(said));
    if (at === -1) history.push(said);
    else left.splice(at, 1);
  }
  const system = context.flatMap(({ role, content }) => (role === 'system' ? [content] : [])).join('\n\n');
  return { system, history: history.reverse(), unwritten: fresh.slice(written) };
}

/** How many of the new messages the session ends in: those that were written before the run. */
function countWritten(known: readonly Said[], fresh: readonly Said[]): number {
  for (let count = Math.min(known.length, fresh.length); count > 0; count--) {
    if (known.slice(-count).every((said, index) => keyOf(said) === keyOf(fresh[index] as Said))) return count;
  }
  return 0;
}

const keyOf = ({ role, text }: Said) => `${role} ${text.trim()}`;
