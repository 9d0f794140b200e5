/** The one system message: the prompt, then what is known, each kind between tags of its own. */

/** A piece of text and what its tag says of it. */
export interface Quoted {
  readonly text: string;
  readonly title?: string | undefined;
}

export interface SystemParts {
  readonly prompt: string;
  readonly summaries: readonly Quoted[];
  readonly memories: readonly Quoted[];
  readonly knowledge: readonly Quoted[];
}

export function systemMessageOf({ prompt, summaries, memories, knowledge }: SystemParts): string {
  const sections = [
    prompt,
    ...summaries.map(summarySection),
    memories.length > 0 ? `<memories>\n${memories.map(memoryLine).join('\n')}\n</memories>` : '',
    knowledge.length > 0 ? `<knowledge>\n${knowledge.map(documentElement).join('\n')}\n</knowledge>` : '',
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

export function summarySection({ text }: Quoted): string {
  return `<summary>\n${quoted(text)}\n</summary>`;
}

/** The lines of one memory stay its own. */
export function memoryLine({ text }: Quoted): string {
  return `- ${quoted(text).replace(/\r\n|[\n\r\u2028\u2029]/g, '\n  ')}`;
}

export function documentElement({ text, title = '' }: Quoted): string {
  const named = title.replace(/\s+/g, ' ').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `<document title="${named}">\n${quoted(text)}\n</document>`;
}

/** What opens or closes a section inside a text does neither. Everything else is left as it is. */
const OWN_TAG = /<(?=\s*\/?\s*(?:summary|memories|knowledge|document)\b)/gi;

function quoted(text: string): string {
  return text.trim().replace(OWN_TAG, '&lt;');
}
