/** Filling in a prompt, by the same rules as the service. */
import { CommonplaceError } from './errors.ts';
import type { ChatMessage } from './types.ts';

export type PromptVariables = Readonly<Record<string, string | number | boolean>>;

/** Of all messages together, as the service has it. */
const MOST_RENDERED_CHARACTERS = 1_000_000;
const PLACEHOLDER = /\{\{\s*([\p{L}\p{N}_][\p{L}\p{N}_.-]*)\s*\}\}/gu;
const MOST_NAMED = 20;

/** The messages in the content of a chat prompt. */
export function parseChat(content: string): ChatMessage[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(content);
  } catch {
    parsed = undefined;
  }
  if (!Array.isArray(parsed) || !parsed.every(isChatMessage)) {
    throw new CommonplaceError('A chat prompt must be a JSON array of {role, content} to be rendered');
  }
  return parsed.map(({ role, content: said }) => ({ role, content: said }));
}

/** Every variable needs a value and, where `strict`, every value a variable; otherwise somebody mistyped one of them. */
export function renderTexts(texts: readonly string[], values: PromptVariables, strict: boolean): string[] {
  const wanted = new Set(texts.flatMap((text) => [...text.matchAll(PLACEHOLDER)].map((match) => match[1] as string)));
  const missing = [...wanted].filter((name) => !Object.hasOwn(values, name));
  const unknown = strict ? Object.keys(values).filter((name) => !wanted.has(name)) : [];
  if (missing.length + unknown.length > 0) {
    const said = [missing.length > 0 && `missing: ${named(missing)}`, unknown.length > 0 && `unknown: ${named(unknown)}`];
    throw new CommonplaceError(`Variables do not match the prompt; ${said.filter(Boolean).join('; ')}`);
  }
  // Added up before anything is built: 20,000 placeholders and a value of 20 kB would be 400 MB.
  if (renderedLength(texts, values) > MOST_RENDERED_CHARACTERS) {
    throw new CommonplaceError(`Rendered prompt must not exceed ${MOST_RENDERED_CHARACTERS} characters`);
  }
  return texts.map((text) => text.replace(PLACEHOLDER, (_, name: string) => String(values[name])));
}

function renderedLength(texts: readonly string[], values: PromptVariables): number {
  const lengths = new Map(Object.entries(values).map(([name, value]) => [name, String(value).length]));
  let length = 0;
  for (const text of texts) {
    length += text.length;
    for (const [placeholder, name] of text.matchAll(PLACEHOLDER)) length += (lengths.get(name as string) ?? 0) - placeholder.length;
  }
  return length;
}

function isChatMessage(value: unknown): value is ChatMessage {
  const { role, content } = (value ?? {}) as Partial<ChatMessage>;
  return typeof role === 'string' && typeof content === 'string';
}

function named(names: readonly string[]): string {
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  return names.slice(0, MOST_NAMED).join(', ') + more;
}
