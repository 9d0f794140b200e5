/** Messages of the AI SDK as text, as a session keeps them. */
import type { LanguageModelV4Message } from '@ai-sdk/provider';
import type { NewMessage } from '@commonplace/client';

/** What a session takes as one message, and as a query. */
const LARGEST_CONTENT_BYTES = 1_000_000;
const LONGEST_QUERY = 10_000;
/** As many as one message may bring along, and as many characters of a name. */
const MOST_NAMED = 50;
const LONGEST_NAME = 255;

type Part = Exclude<LanguageModelV4Message['content'], string>[number];

/** A file stands in the text as `[image/png]` or `[application/pdf: invoice.pdf]`: its bytes and its address are not kept. */
interface NamedFile {
  readonly mediaType: string;
  readonly filename?: string;
}

/** What was said, without what is shown and done: reasoning, tool calls and their results. */
export function textOf(message: LanguageModelV4Message): string {
  if (message.role === 'system') return message.content;
  const files = filesOf(message.content).map(fileText);
  return storable([spokenText(message), ...files].filter((text) => text !== '').join('\n'));
}

/** What a context is asked to bear on; undefined where there are no words. */
export function queryOf(message: LanguageModelV4Message): string | undefined {
  return storable(spokenText(message)).slice(0, LONGEST_QUERY).toWellFormed().trim() || undefined;
}

export function userMessage(message: LanguageModelV4Message): NewMessage {
  const files = message.role === 'system' ? [] : filesOf(message.content);
  return newMessage('user', textOf(message), files.length > 0 ? { files: files.slice(0, MOST_NAMED) } : undefined);
}

export interface Answer {
  readonly text: string;
  readonly files: readonly NamedFile[];
  /** By name. */
  readonly toolCalls: readonly string[];
  readonly model: string;
  readonly finishReason: string;
}

/** Undefined where nothing was said: a step that only calls tools. */
export function answerMessage({ text, files, toolCalls, model, finishReason }: Answer): NewMessage | undefined {
  const content = storable([text, ...files.map(fileText)].filter((part) => part !== '').join('\n'));
  if (content.trim() === '') return undefined;
  return newMessage('assistant', content, {
    model: storable(model).slice(0, LONGEST_NAME).toWellFormed(),
    finishReason,
    ...(toolCalls.length > 0 && { toolCalls: toolCalls.slice(0, MOST_NAMED).map((name) => cutName(name)) }),
    ...(files.length > 0 && { files: files.slice(0, MOST_NAMED) }),
  });
}

export function namedFile({ mediaType, filename }: { mediaType: string; filename?: string | undefined }): NamedFile {
  return { mediaType: cutName(mediaType), ...(filename !== undefined && { filename: cutName(filename) }) };
}

function spokenText(message: LanguageModelV4Message): string {
  if (message.role === 'system') return message.content;
  const texts = message.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  // A model streams one text in several parts; a person who sends several means several.
  return texts.join(message.role === 'assistant' ? '' : '\n');
}

function filesOf(parts: readonly Part[]): NamedFile[] {
  return parts.flatMap((part) => (part.type === 'file' ? [namedFile(part)] : []));
}

function fileText({ mediaType, filename }: NamedFile): string {
  return filename === undefined ? `[${mediaType}]` : `[${mediaType}: ${filename}]`;
}

function newMessage(role: 'user' | 'assistant', text: string, meta: Record<string, unknown> | undefined): NewMessage {
  const content = cutBytes(text);
  const kept = content === text ? meta : { ...meta, cut: true };
  return { role, content, ...(kept && { meta: kept }) };
}

function cutBytes(text: string): string {
  if (text.length * 3 <= LARGEST_CONTENT_BYTES) return text;
  const buffer = new Uint8Array(LARGEST_CONTENT_BYTES);
  const { read } = new TextEncoder().encodeInto(text, buffer);
  return read === text.length ? text : text.slice(0, read);
}

const cutName = (name: string) => storable(name).slice(0, LONGEST_NAME).toWellFormed();

/** Without what no database keeps. */
function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}
