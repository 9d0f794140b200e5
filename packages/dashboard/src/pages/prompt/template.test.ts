import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderTemplate, variablesOf } from '../../../../server/src/prompts/templates.ts';
import { readTurns, sameContent, textsOf, writeTurns } from './chat.ts';
import { fillTemplate, isSet, splitTemplate, variablesIn } from './template.ts';

const texts = fc.array(
  fc.oneof(
    fc.constantFrom(
      '{{name}}',
      '{{ name }}',
      '{{a.b-c}}',
      '{{größe_1}}',
      '{{-x}}',
      '{{{name}}}',
      '{{}}',
      '{{na me}}',
      '{{\nname }}',
      '$&',
      '\n',
      '}}',
    ),
    fc.string(),
  ),
  { maxLength: 12 },
);

test('placeholders are found and filled in as the service does', () => {
  fc.assert(
    fc.property(texts, fc.string({ minLength: 1 }), (parts, value) => {
      const content = parts.join('');
      const names = variablesIn([content]);
      expect(names).toEqual(variablesOf([{ type: 'text', content }])[0]);
      const values = Object.fromEntries(names.map((name) => [name, value]));
      const filled = fillTemplate(content, values).map(({ text }) => text);
      expect({ text: filled.join('') }).toEqual(renderTemplate({ type: 'text', content }, values));
      const split = splitTemplate(content);
      expect(split.map(({ text }) => text).join('')).toBe(content);
      for (const { text, at } of split) expect(content.startsWith(text, at)).toBe(true);
    }),
  );
});

test('what has no value stays as it stands, also where it is named as what every object has', () => {
  expect(isSet({}, 'toString')).toBe(false);
  expect(fillTemplate('{{toString}} {{ name }}', { name: '' }).map(({ text, kind }) => [text, kind])).toEqual([
    ['{{toString}}', 'unset'],
    [' ', 'plain'],
    ['{{ name }}', 'unset'],
  ]);
});

test('a chat is read as the service reads it, and what else a turn has is kept', () => {
  for (const content of ['', '{}', 'null', '[null]', '[1]', '[{"role":"user"}]', '[{"role":1,"content":"x"}]']) {
    expect(readTurns(content), content).toBeUndefined();
    expect(renderTemplate({ type: 'chat', content }, {}), content).toEqual({ refused: 'not-a-chat' });
  }
  expect(readTurns('[]')).toEqual([]);
  const content = '[{"role":"tool","content":"{{x}}","name":"n"}]';
  const turns = readTurns(content) ?? [];
  expect(JSON.parse(writeTurns(turns))).toEqual(JSON.parse(content));
  expect(sameContent('chat', content, writeTurns(turns))).toBe(true);
  expect(sameContent('text', content, writeTurns(turns))).toBe(false);
  expect(textsOf('chat', content)).toEqual(['{{x}}']);
  expect(textsOf('chat', 'no chat')).toEqual([]);
});
