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

const BETWEEN_SECTIONS = '\n\n';

/**
 * The message in parts. All but the last end with the end of a line, and all but the first begin with a tag or a dash: no token goes over such
 * a place, so that what is counted part by part adds up.
 */
export function systemMessageParts({ prompt, summaries, memories, knowledge }: SystemParts): string[] {
  const sections = [
    prompt === '' ? [] : [prompt],
    ...summaries.map((summary) => [summarySection(summary)]),
    listSection('memories', memories.map(memoryLine)),
    listSection('knowledge', knowledge.map(documentElement)),
  ].filter((parts) => parts.length > 0);
  return sections.flatMap((parts, index) =>
    index === sections.length - 1 ? parts : [...parts.slice(0, -1), `${parts.at(-1)}${BETWEEN_SECTIONS}`],
  );
}

function listSection(tag: string, elements: readonly string[]): string[] {
  return elements.length === 0 ? [] : [`<${tag}>\n`, ...elements, `</${tag}>`];
}

export function summarySection({ text }: Quoted): string {
  return `<summary>\n${quoted(text)}\n</summary>`;
}

/** The lines of one memory stay its own. */
export function memoryLine({ text }: Quoted): string {
  return `- ${quoted(text).replace(/\r\n|[\n\r\u2028\u2029]/g, '\n  ')}\n`;
}

export function documentElement({ text, title = '' }: Quoted): string {
  const named = title.replace(/\s+/g, ' ').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `<document title="${named}">\n${quoted(text)}\n</document>\n`;
}

/** What opens or closes a section inside a text does neither. Everything else is left as it is. */
const OWN_TAG = /<(?=\s*\/?\s*(?:summary|memories|knowledge|document)\b)/gi;

function quoted(text: string): string {
  return text.trim().replace(OWN_TAG, '&lt;');
}
