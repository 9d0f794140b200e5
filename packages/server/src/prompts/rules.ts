import { hash } from 'node:crypto';
import { ChatMessage, type PromptType } from '@commonplace/contract/prompts';
import { createTwoFilesPatch, diffLines } from 'diff';
import { z } from 'zod';
import { AppError, type ErrorDetail, invalid } from '../errors.ts';
import { handleOf } from '../handles.ts';

const PLACEHOLDER = /\{\{\s*([\p{L}\p{N}_][\p{L}\p{N}_.-]*)\s*\}\}/gu;
const HASH_LENGTH = 12;

/** A name with no letter or digit has nothing to go by. */
export function promptHandleOf(name: string): string {
  const handle = handleOf(name);
  if (handle === '') throw invalid('name', 'Name must contain a letter or a digit');
  return handle;
}

/** The names of a template's placeholders, in the order of their first use; of a chat, those in what its messages say. */
export function variablesOf(type: PromptType, content: string): string[] {
  const messages = type === 'chat' ? parsedChat(content) : undefined;
  const templates = messages ? messages.map((message) => message.content) : [content];
  return [...new Set(templates.flatMap((template) => Array.from(template.matchAll(PLACEHOLDER), (match) => match[1] as string)))];
}

/** Addresses what a version says and what it came from: the same content on the same parent has the same hash. */
export function commitHashOf(type: PromptType, content: string, config: unknown, parent: string | null): string {
  return hash('sha256', JSON.stringify([type, content, config, parent]), 'hex').slice(0, HASH_LENGTH);
}

export type VersionSelector = 'latest' | 'production' | number;

/** Absent or `latest`, `production`, or a number such as `3` or `v3`; without regard to case. */
export function versionSelectorOf(text: string | undefined): VersionSelector {
  const folded = (text ?? '').trim().toLowerCase();
  if (folded === '' || folded === 'latest') return 'latest';
  if (folded === 'production') return 'production';
  const number = /^v?(\d{1,9})$/.exec(folded)?.[1];
  if (number === undefined || Number(number) === 0)
    throw invalid('version', 'Version must be latest, production or a number such as 3 or v3');
  return Number(number);
}

export type Values = Readonly<Record<string, string | number | boolean>>;

/** Every variable needs a value and every value a variable; otherwise somebody mistyped one of them. */
export function requireMatchingValues(wanted: readonly string[], values: Values): void {
  const missing = wanted.filter((name) => !Object.hasOwn(values, name));
  const unknown = Object.keys(values).filter((name) => !wanted.includes(name));
  const details: ErrorDetail[] = [
    ...missing.map((name) => ({ path: `variables.${name}`, message: `Variable ${name} is missing` })),
    ...unknown.map((name) => ({ path: `variables.${name}`, message: `Variable ${name} is not in this prompt` })),
  ];
  if (details.length === 0) return;
  const said = [missing.length > 0 && `missing: ${missing.join(', ')}`, unknown.length > 0 && `unknown: ${unknown.join(', ')}`];
  throw new AppError('validation_failed', `Variables do not match the prompt; ${said.filter(Boolean).join('; ')}`, { details });
}

export function render(template: string, values: Values): string {
  return template.replace(PLACEHOLDER, (_, name: string) => String(values[name]));
}

/** The messages of a chat prompt: its content is a JSON array of `{role, content}`. */
export function chatMessagesOf(content: string): ChatMessage[] {
  const messages = parsedChat(content);
  if (!messages) throw invalid('content', 'A chat prompt must be a JSON array of {role, content} to be rendered');
  return messages;
}

function parsedChat(content: string): ChatMessage[] | undefined {
  try {
    return z.array(ChatMessage).safeParse(JSON.parse(content)).data;
  } catch {
    return undefined;
  }
}

export interface ContentDiff {
  readonly unified: string;
  readonly changes: { kind: 'same' | 'added' | 'removed'; text: string }[];
}

export function diffOf(from: { name: string; content: string }, to: { name: string; content: string }): ContentDiff {
  const changes = diffLines(from.content, to.content).map(({ added, removed, value }) => ({
    kind: added ? ('added' as const) : removed ? ('removed' as const) : ('same' as const),
    text: value,
  }));
  const isSame = from.content === to.content;
  return { changes, unified: isSame ? '' : createTwoFilesPatch(from.name, to.name, from.content, to.content) };
}
