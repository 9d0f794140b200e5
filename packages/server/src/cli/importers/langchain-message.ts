/** One message, in whichever form it comes. */
import { textOfPart } from './chatgpt-content.ts';
import { fieldOf, isObject, type Problem, textField, timeOf } from './items.ts';
import { type FileRecord, parseRecord } from './records.ts';
import type { MessageSource } from './session-lines.ts';

const ROLES: Readonly<Record<string, MessageSource['role']>> = {
  human: 'user',
  user: 'user',
  ai: 'assistant',
  assistant: 'assistant',
  model: 'assistant',
  system: 'system',
  developer: 'system',
};
/** What tools were asked and answered, and marks that delete others: no part of the conversation. */
const LEFT_OUT: ReadonlySet<string> = new Set(['tool', 'function', 'remove']);
const SESSION_NAMES = ['session', 'session_id', 'sessionId', 'thread_id', 'threadId', 'conversation_id', 'conversationId'];
const TIME_NAMES = ['created_at', 'createdAt', 'timestamp', 'time'];

export type ReadMessage = MessageSource & { readonly session: string | undefined };

/** Undefined for what is left out on purpose. */
export function readMessage({ number, bytes }: FileRecord, name: string, nowMs: number): ReadMessage | Problem | undefined {
  const place = `${name}, line ${number}`;
  const parsed = parseRecord(bytes);
  if ('problem' in parsed) return { place, problem: parsed.problem };
  // A row of a table of histories has the message beside the session.
  const wrapped = fieldOf(parsed.value, 'message');
  const message = isObject(wrapped) ? wrapped : parsed.value;
  const { type, data } = formOf(message);
  if (type === undefined) return { place, problem: 'it is no message: it has neither a role nor a type' };
  if (LEFT_OUT.has(type)) return undefined;
  const role = Object.hasOwn(ROLES, type) ? ROLES[type] : undefined;
  if (role === undefined) return { place, problem: `the role “${type.slice(0, 50)}” is not known` };
  const content = textOf(fieldOf(data, 'content'));
  if (content === undefined) return { place, problem: 'it has no content' };
  // The assistant calls tools with an empty text.
  if (content.trim() === '') return undefined;
  const all = [parsed.value, message, data, fieldOf(data, 'additional_kwargs'), fieldOf(data, 'response_metadata')];
  const session = firstOf(all, (value) => textField(value, ...SESSION_NAMES));
  const ms = firstOf(all, (value) => firstOf(TIME_NAMES, (field) => timeOf(fieldOf(value, field), nowMs)));
  return { sourceId: firstOf(all, (value) => textIdOf(value)) ?? `#${number}`, role, content, ms, place, session };
}

/** `{"type", "data"}`, `{"lc", "id", "kwargs"}`, or `{"role", "content"}`. */
function formOf(message: unknown): { type: string | undefined; data: unknown } {
  const data = fieldOf(message, 'data');
  const kwargs = fieldOf(message, 'kwargs');
  const path = fieldOf(message, 'id');
  if (isObject(kwargs) && Array.isArray(path)) return { type: classOf(path.at(-1)), data: kwargs };
  if (isObject(data)) {
    const type = textField(message, 'type')?.toLowerCase();
    // One that was written down while it was streamed.
    return { type: type === 'chat' ? textField(data, 'role')?.toLowerCase() : type?.replace(/messagechunk$/, ''), data };
  }
  return { type: textField(message, 'role', 'type')?.toLowerCase(), data: message };
}

/** `AIMessageChunk` and `HumanMessage`. */
function classOf(name: unknown): string | undefined {
  return typeof name === 'string' ? name.replace(/Message(Chunk)?$/, '').toLowerCase() : undefined;
}

function textOf(content: unknown): string | undefined {
  if (typeof content === 'string') return content;
  if (content === null) return '';
  if (!Array.isArray(content)) return undefined;
  const isCall = (part: unknown) => /tool|function|thinking|reasoning/.test(textField(part, 'type') ?? '');
  return content
    .filter((part) => !isCall(part))
    .map(textOfPart)
    .filter((text) => text !== '')
    .join('\n');
}

function textIdOf(value: unknown): string | undefined {
  const id = fieldOf(value, 'id');
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
}

function firstOf<Value, Found>(values: readonly Value[], find: (value: Value) => Found | undefined): Found | undefined {
  for (const value of values) {
    const found = find(value);
    if (found !== undefined) return found;
  }
  return undefined;
}
