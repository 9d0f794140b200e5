import { z } from 'zod';
import { WhereText } from './where.ts';
import { Content, Id, JsonText, JsonValue, listOf, Moment, Page, pageOf, Time } from './wire.ts';

export const MessageRole = z.enum(['system', 'user', 'assistant']);
export type MessageRole = z.infer<typeof MessageRole>;

const example = {
  id: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c40',
  sessionId: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c30',
  role: 'user',
  content: 'I would like an aisle seat.',
  meta: {},
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:30:00.000Z',
};

export const Message = z
  .object({ id: Id, sessionId: Id, role: MessageRole, content: z.string(), meta: JsonValue, createdAt: Time, updatedAt: Time })
  .meta({ id: 'Message', examples: [example] });
export type Message = z.infer<typeof Message>;

export const NewMessage = z
  .object({
    role: MessageRole,
    content: Content,
    meta: JsonText,
    createdAt: Moment.nullish().describe('For bringing a history along; not in the future.'),
  })
  .meta({ id: 'NewMessage', examples: [{ role: 'user', content: example.content }] });
export type NewMessage = z.infer<typeof NewMessage>;

export const NewMessages = z.object({ messages: listOf(NewMessage, { min: 1, max: 100 }) }).meta({ id: 'NewMessages' });

export const MessageChanges = z
  .object({ content: Content, role: MessageRole.optional(), meta: JsonText })
  .meta({ id: 'MessageChanges', examples: [{ content: 'I would like a window seat.' }] });
export type MessageChanges = z.infer<typeof MessageChanges>;

export const MessageQuery = Page.extend({ where: WhereText });
export type MessageQuery = z.infer<typeof MessageQuery>;

export const Messages = pageOf('messages', Message);
export const CreatedMessages = z.object({ messages: z.array(Message) });
