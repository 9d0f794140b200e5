import { z } from 'zod';
import { Content, Id, JsonText, JsonValue, KeptJsonText, LARGEST_CONTENT_BYTES, listOf, mapOf, pageOf, Time, text } from './wire.ts';

export const PromptType = z.enum(['text', 'chat']);
export type PromptType = z.infer<typeof PromptType>;

export const PromptVersionStatus = z.enum(['active', 'archived']);

const prompt = {
  promptId: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c60',
  name: 'Greeting',
  handle: 'greeting',
  description: 'How we say hello.',
  versionCount: 1,
  productionVersion: 1,
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:30:00.000Z',
};

export const Prompt = z
  .object({
    promptId: Id,
    name: z.string(),
    handle: z.string().describe('Made from the name; unique in the workspace.'),
    description: z.string(),
    versionCount: z.int(),
    productionVersion: z.int().nullable().describe('The number of the version in production; null where none is.'),
    createdAt: Time,
    updatedAt: Time,
  })
  .meta({ id: 'Prompt', examples: [prompt] });
export type Prompt = z.infer<typeof Prompt>;

const version = {
  id: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c61',
  promptId: prompt.promptId,
  name: prompt.name,
  handle: prompt.handle,
  description: prompt.description,
  version: 1,
  type: 'text',
  content: 'Hello {{name}}!',
  variables: ['name'],
  commitHash: '3f9a1c0b7d42',
  status: 'active',
  production: true,
  config: {},
  labels: ['latest'],
  commitMessage: null,
  meta: null,
  createdAt: prompt.createdAt,
  updatedAt: prompt.updatedAt,
};

export const PromptVersion = z
  .object({
    id: Id,
    promptId: Id,
    name: z.string(),
    handle: z.string(),
    description: z.string(),
    version: z.int(),
    type: PromptType,
    content: z.string(),
    variables: z.array(z.string()).describe('The names of the `{{placeholders}}`, in the order of their first use.'),
    commitHash: z.string().describe('Of type, content, config and parent; 12 hex digits.'),
    status: PromptVersionStatus,
    production: z.boolean(),
    config: JsonValue,
    labels: z.array(z.string()).describe('`latest` stands with exactly one version of a prompt.'),
    commitMessage: z.string().nullable(),
    meta: z.string().nullable().describe('JSON text.'),
    createdAt: Time,
    updatedAt: Time,
  })
  .meta({ id: 'PromptVersion', examples: [version] });
export type PromptVersion = z.infer<typeof PromptVersion>;

const Name = text({ min: 1, max: 150, trim: true });
const Description = text({ max: 2000 });

export const NewPromptVersion = z
  .object({
    type: PromptType,
    content: Content,
    commitMessage: text({ max: 255 }).nullish(),
    production: z.boolean().nullish(),
    config: JsonText,
    meta: KeptJsonText,
  })
  .meta({
    id: 'NewPromptVersion',
    examples: [{ type: 'text', content: 'Good day {{name}}!', commitMessage: 'More formal', production: true }],
  });
export type NewPromptVersion = z.infer<typeof NewPromptVersion>;

export const NewPrompt = NewPromptVersion.extend({ name: Name, description: Description.nullish() }).meta({
  id: 'NewPrompt',
  examples: [{ name: 'Greeting', type: 'text', content: 'Hello {{name}}!', production: true }],
});
export type NewPrompt = z.infer<typeof NewPrompt>;

export const PromptChanges = z
  .object({ name: Name.optional(), description: Description.nullish() })
  .meta({ id: 'PromptChanges', examples: [{ description: 'How we say hello.' }] });
export type PromptChanges = z.infer<typeof PromptChanges>;

export const PromptVersionChanges = NewPromptVersion.partial()
  .extend({
    status: PromptVersionStatus.optional(),
    labels: listOf(text({ min: 1, max: 100, trim: true }), { max: 32 }).nullish(),
  })
  .meta({ id: 'PromptVersionChanges', examples: [{ production: true }] });
export type PromptVersionChanges = z.infer<typeof PromptVersionChanges>;

export const Prompts = pageOf('prompts', Prompt);
export const PromptVersions = pageOf('versions', PromptVersion);

/** `latest`, `production`, or a number such as `3` or `v3`. */
export const VersionText = text({ max: 20 }).describe('`latest` (also when absent), `production`, or a number such as `3` or `v3`.');
export const VersionQuery = z.object({ version: VersionText.optional() });

const PromptValue = z.union([text({ maxBytes: LARGEST_CONTENT_BYTES }), z.number(), z.boolean()]);

export const PromptVariables = mapOf(PromptValue, { noun: 'Variable', max: 1000, maxKeyLength: 255 });

export const PromptValues = z
  .object({ variables: PromptVariables.default({}) })
  .nullish()
  .transform((body) => body ?? { variables: {} })
  .meta({ id: 'PromptValues', examples: [{ variables: { name: 'Ada' } }] });
export type PromptValues = z.infer<typeof PromptValues>;

export const ChatMessage = z
  .object({ role: z.string(), content: z.string() })
  .meta({ id: 'ChatMessage', examples: [{ role: 'system', content: 'Be brief.' }] });
export type ChatMessage = z.infer<typeof ChatMessage>;

export const RenderedPrompt = z
  .object({
    promptId: Id,
    promptVersionId: Id,
    version: z.int(),
    type: PromptType,
    text: z.string().optional().describe('Of a text prompt.'),
    messages: z.array(ChatMessage).optional().describe('Of a chat prompt.'),
    config: JsonValue,
  })
  .meta({ id: 'RenderedPrompt' });
export type RenderedPrompt = z.infer<typeof RenderedPrompt>;

const VersionRef = z.object({ id: Id, version: z.int(), commitHash: z.string() });

export const PromptDiff = z
  .object({
    from: VersionRef,
    to: VersionRef,
    unified: z.string().describe('The change of the content as a unified diff; empty when it is the same.'),
    changes: z.array(z.object({ kind: z.enum(['same', 'added', 'removed']), text: z.string() })).describe('The same, line by line.'),
    fields: z.array(z.object({ field: z.string(), from: JsonValue, to: JsonValue })).describe('What differs beside the content.'),
  })
  .meta({ id: 'PromptDiff' });
export type PromptDiff = z.infer<typeof PromptDiff>;
