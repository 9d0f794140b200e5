/** The client fills in prompts as the service does. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type RenderedTemplate, renderTemplate } from '../../server/src/prompts/templates.ts';
import type { PromptVariables } from './rendering.ts';
import type { PromptVersion } from './types.ts';
import { UsablePrompt } from './usable-prompt.ts';

type Template = { type: 'text' | 'chat'; content: string };

function rendered({ type, content }: Template, values: PromptVariables): string {
  const prompt = UsablePrompt.fromVersion({ handle: 'p', type, content } as PromptVersion);
  try {
    return JSON.stringify(type === 'text' ? { text: prompt.render(values) } : { messages: prompt.renderMessages(values) });
  } catch (error) {
    return (error as Error).message;
  }
}

function expected(result: RenderedTemplate): string | RegExp {
  if (!('refused' in result)) return JSON.stringify(result);
  if (result.refused === 'not-a-chat') return 'A chat prompt must be a JSON array of {role, content} to be rendered';
  if (result.refused === 'too-long') return 'Rendered prompt must not exceed 1000000 characters';
  return 'Variables do not match the prompt';
}

const name = fc.constantFrom('name', 'größe', 'a.b', 'x-1', '_', '__proto__', 'constructor', '9');
const piece = fc.oneof(
  fc.string(),
  name.map((value) => `{{${value}}}`),
  name.map((value) => `{{ ${value} }}`),
  fc.constantFrom('{{', '}}', '{{ }}', '$&', '$1'),
);
const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
const template: fc.Arbitrary<Template> = fc.oneof(
  text.map((content) => ({ type: 'text' as const, content })),
  fc.array(fc.record({ role: fc.constantFrom('system', 'user'), content: text }), { maxLength: 3 }).map((messages) => ({
    type: 'chat' as const,
    content: JSON.stringify(messages),
  })),
  fc.constantFrom('', '{}', '[1]', '[null]', '[{"role":"user"}]', 'no JSON').map((content) => ({ type: 'chat' as const, content })),
);
const values = fc.dictionary(name, fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant('$& $1 {{name}}')), { maxKeys: 4 });

test('whatever the template and the values', () => {
  fc.assert(
    fc.property(template, values, (given, variables) => {
      const want = expected(renderTemplate(given, variables));
      if (want === 'Variables do not match the prompt') expect(rendered(given, variables)).toContain(want);
      else expect(rendered(given, variables)).toBe(want);
    }),
    { numRuns: 2000 },
  );
});

test('what would be too long is not built', () => {
  const content = '{{a}}'.repeat(20_000);
  expect(rendered({ type: 'text', content }, { a: 'x'.repeat(20_000) })).toBe('Rendered prompt must not exceed 1000000 characters');
});

test('what does not match is named, twenty of each kind', () => {
  const many = Object.fromEntries(Array.from({ length: 22 }, (_, index) => [`v${index}`, 1]));
  expect(rendered({ type: 'text', content: '{{a}} {{b}}' }, { b: 1 })).toBe('Variables do not match the prompt; missing: a');
  expect(rendered({ type: 'text', content: 'x' }, many)).toMatch(/unknown: v0, .*v19 and 2 more$/);
});
