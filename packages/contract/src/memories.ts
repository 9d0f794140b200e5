import { z } from 'zod';
import { filter, Id, JsonText, JsonValue, Page, pageOf, Time, text } from './wire.ts';

export const MemoryKind = z.enum(['summary', 'fact', 'preference', 'short_lived', 'long_lived']);
export type MemoryKind = z.infer<typeof MemoryKind>;

const example = {
  id: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c50',
  sessionId: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c30',
  kind: 'preference',
  content: 'User prefers aisle seats',
  meta: {},
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:30:00.000Z',
};

export const Memory = z
  .object({ id: Id, sessionId: Id, kind: MemoryKind, content: z.string(), meta: JsonValue, createdAt: Time, updatedAt: Time })
  .meta({ id: 'Memory', examples: [example] });
export type Memory = z.infer<typeof Memory>;

export const NewMemory = z
  .object({ kind: MemoryKind, content: text({ min: 1 }), meta: JsonText })
  .meta({ id: 'NewMemory', examples: [{ kind: 'preference', content: example.content, meta: '{"by":"user"}' }] });
export type NewMemory = z.infer<typeof NewMemory>;

export const NewMemories = z.object({ memories: z.array(NewMemory).min(1).max(100) }).meta({ id: 'NewMemories' });

export const MemoryChanges = z
  .object({ kind: MemoryKind.optional(), content: text({ min: 1 }).optional(), meta: JsonText })
  .meta({ id: 'MemoryChanges', examples: [{ content: 'User prefers window seats' }] });
export type MemoryChanges = z.infer<typeof MemoryChanges>;

export const MemoryQuery = Page.extend({ kind: filter(MemoryKind) });
export type MemoryQuery = z.infer<typeof MemoryQuery>;

export const Memories = pageOf('memories', Memory);
export const CreatedMemories = z.object({ memories: z.array(Memory) });
