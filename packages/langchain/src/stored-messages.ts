/** Messages of LangChain as records of a session, and back. */
import type { MessageRecord, NewRecord, Path } from '@commonplace/client/message-records';
import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  mapStoredMessagesToChatMessages,
  type StoredMessage,
  SystemMessage,
} from '@langchain/core/messages';

/** What tools and functions say is the assistant's: neither an instruction nor a statement of the user. */
const roles: Readonly<Record<string, NewRecord['role']>> = { human: 'user', user: 'user', system: 'system', developer: 'system' };

export function newRecordOf(message: BaseMessage): NewRecord {
  if (message.type === 'remove') throw new TypeError('A RemoveMessage can’t be kept: it is an order to a graph');
  const { type, data } = message.toDict();
  const kind = type === 'generic' ? (data.role ?? '') : type;
  // Of one that was made of content blocks LangChain reads nothing but `content`.
  const value = { type, data: { ...data, content: message.content, content_blocks: undefined } };
  return { role: roles[kind] ?? 'assistant', value, textAt: textsOf(message.content), label: labelOf(message) };
}

/** A message that something else wrote to the session is one of its role. */
export function messageOf({ role, text, value, messageIds: [id] }: MessageRecord): BaseMessage {
  const stored = readStored(value);
  if (stored) return stored;
  const fields = { content: text, ...(id && { id }) };
  if (role === 'user') return new HumanMessage(fields);
  return role === 'system' ? new SystemMessage(fields) : new AIMessage(fields);
}

/** Undefined for what is no message of LangChain: whoever may write messages may write any `meta`. */
function readStored(value: unknown): BaseMessage | undefined {
  try {
    return mapStoredMessagesToChatMessages([value as StoredMessage])[0];
  } catch {
    return undefined;
  }
}

/** Content is a text, or blocks, some of which have one. */
function textsOf(content: unknown): Path[] {
  if (typeof content === 'string') return [['data', 'content']];
  if (!Array.isArray(content)) return [];
  return content.flatMap((block, index) =>
    block?.type === 'text' && typeof block.text === 'string' ? [['data', 'content', index, 'text']] : [],
  );
}

function labelOf(message: BaseMessage): string {
  const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
  return calls.map(({ name, args }) => `${name}(${JSON.stringify(args)})`).join('\n') || `(${message.type})`;
}
