/** What a template says: its placeholders, and what becomes of it once they are filled. Pure, and run in a thread where it is large. */
import type { ChatMessage, PromptType } from '@commonplace/contract/prompts';

/** Of all messages of a chat together; in UTF-16 units, so that most emoji count as two. */
export const MOST_RENDERED_CHARACTERS = 1_000_000;

/** A refusal names no more than these; the rest it counts. */
const MOST_NAMED = 20;
const MOST_NAME_CHARACTERS = 100;

const PLACEHOLDER = /\{\{\s*([\p{L}\p{N}_][\p{L}\p{N}_.-]*)\s*\}\}/gu;

export interface Template {
  readonly type: PromptType;
  readonly content: string;
}

export type Values = Readonly<Record<string, string | number | boolean>>;

/** The first of them, by name, and how many more there are. */
export interface NamedFew {
  readonly names: readonly string[];
  readonly more: number;
}

export type RenderedTemplate =
  | { readonly text: string }
  | { readonly messages: ChatMessage[] }
  | { readonly refused: 'not-a-chat' | 'too-long' }
  | { readonly refused: 'values'; readonly missing: NamedFew; readonly unknown: NamedFew };

/** The names of each one's placeholders, in the order of their first use; of a chat, those in what its messages say. */
export function variablesOf(templates: readonly Template[]): string[][] {
  return templates.map(({ type, content }) => {
    const messages = type === 'chat' ? parseChat(content) : undefined;
    return [...placeholdersIn(messages ? messages.map((message) => message.content) : [content])];
  });
}

/** Every variable needs a value and every value a variable; otherwise somebody mistyped one of them. */
export function renderTemplate({ type, content }: Template, values: Values): RenderedTemplate {
  const messages = type === 'chat' ? parseChat(content) : undefined;
  if (type === 'chat' && !messages) return { refused: 'not-a-chat' };
  const texts = messages ? messages.map((message) => message.content) : [content];
  const wanted = placeholdersIn(texts);
  const missing = [...wanted].filter((name) => !Object.hasOwn(values, name));
  const unknown = Object.keys(values).filter((name) => !wanted.has(name));
  if (missing.length + unknown.length > 0) return { refused: 'values', missing: namedFew(missing), unknown: namedFew(unknown) };
  // Added up before anything is built: 20,000 placeholders and a value of 20 kB would be 400 MB.
  if (renderedLength(texts, values) > MOST_RENDERED_CHARACTERS) return { refused: 'too-long' };
  const fill = (text: string) => text.replace(PLACEHOLDER, (_, name: string) => String(values[name]));
  return messages ? { messages: messages.map(({ role, content: said }) => ({ role, content: fill(said) })) } : { text: fill(content) };
}

function placeholdersIn(texts: readonly string[]): Set<string> {
  const names = new Set<string>();
  for (const text of texts) for (const [, name] of text.matchAll(PLACEHOLDER)) names.add(name as string);
  return names;
}

function renderedLength(texts: readonly string[], values: Values): number {
  const lengths = new Map(Object.entries(values).map(([name, value]) => [name, String(value).length]));
  let length = 0;
  for (const text of texts) {
    length += text.length;
    for (const [placeholder, name] of text.matchAll(PLACEHOLDER)) length += (lengths.get(name as string) ?? 0) - placeholder.length;
  }
  return length;
}

/** By hand: a schema reports each wrong element, and takes thirty times as long. */
function parseChat(content: string): ChatMessage[] | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(content);
  } catch {
    return undefined;
  }
  if (!Array.isArray(parsed) || !parsed.every(isChatMessage)) return undefined;
  return parsed.map(({ role, content: said }) => ({ role, content: said }));
}

function isChatMessage(value: unknown): value is ChatMessage {
  if (typeof value !== 'object' || value === null) return false;
  const { role, content } = value as Partial<ChatMessage>;
  return typeof role === 'string' && typeof content === 'string';
}

function namedFew(names: readonly string[]): NamedFew {
  const cut = (name: string) => (name.length > MOST_NAME_CHARACTERS ? `${name.slice(0, MOST_NAME_CHARACTERS).toWellFormed()}…` : name);
  return { names: names.slice(0, MOST_NAMED).map(cut), more: Math.max(0, names.length - MOST_NAMED) };
}
