/** Schemas as words and rows. */
import { expect, test } from 'vitest';
import { choicesOf, limitsOf } from './limits.ts';
import { readOldAnchor } from './old-anchors.ts';
import { describeType, rowsOf, type Schema, shapeOf } from './schema.ts';

const schemas = {
  Agent: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  Tree: { type: 'object', properties: { children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } } } },
  Fish: { type: 'object', properties: { type: { const: 'fish' } } },
  Bird: { type: 'object', properties: { type: { const: 'bird' } } },
} as const;
const ref = (name: keyof typeof schemas): Schema => ({ $ref: `#/components/schemas/${name}` });
const typeOf = (schema: Schema) => describeType(schemas, shapeOf(schemas, schema));
const namesIn = (schema: Schema) => rowsOf(schemas, shapeOf(schemas, schema)).map(({ name }) => name);

test.each<[Schema, string]>([
  [{ type: 'string', format: 'uuid' }, 'string, uuid'],
  [{ type: ['boolean', 'null'] }, 'boolean or null'],
  [{ anyOf: [ref('Agent'), { type: 'null' }] }, 'Agent or null'],
  [{ type: 'array', items: ref('Agent') }, 'array of Agent'],
  [{ type: 'object', additionalProperties: { type: 'string' } }, 'map of string'],
  [{ oneOf: [ref('Fish'), ref('Bird')] }, 'Fish or Bird'],
  [{ type: 'string', format: 'binary' }, 'file'],
  [{ const: 'ok' }, 'string'],
  [ref('Tree'), 'Tree'],
])('%j is called %s', (schema, words) => expect(typeOf(schema)).toBe(words));

test('rows: fields, those of a list, variants by what tells them apart, and no end in what holds itself', () => {
  expect(namesIn(ref('Agent'))).toEqual(['name']);
  expect(namesIn({ type: 'array', items: ref('Agent') })).toEqual(['name']);
  expect(namesIn({ oneOf: [ref('Fish'), ref('Bird')] })).toEqual(['type: "fish"', 'type: "bird"']);
  expect(namesIn(ref('Tree'))).toEqual(['children']);
  expect(namesIn({ type: 'object', additionalProperties: { type: 'string' } })).toEqual([]);
  expect(rowsOf(schemas, shapeOf(schemas, ref('Agent')))[0]?.required).toBe(true);
});

test.each<[Schema, string[]]>([
  [{ type: 'string', minLength: 1, maxLength: 2000 }, ['1 to 2,000 characters']],
  [{ type: 'array', maxItems: 1, items: { type: 'string', maxLength: 5 } }, ['at most 1 item', 'each at most 5 characters']],
  [{ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }, ['0 or more']],
  [{ type: 'object', 'x-max-bytes': 64000, additionalProperties: true }, ['at most 64,000 bytes']],
  [{ anyOf: [{ type: 'string', maxLength: 9 }, { type: 'null' }] }, ['at most 9 characters']],
])('%j is limited to %j', (schema, limits) => expect(limitsOf(schemas, shapeOf(schemas, schema))).toEqual(limits));

test('what may be chosen, also in a list', () => {
  expect(choicesOf(schemas, shapeOf(schemas, { type: 'array', items: { enum: ['a', 'b', null] } }))).toEqual(['a', 'b']);
});

test.each([
  ['createAgent', { operation: 'createAgent' }],
  ['tag/Access%20keys', { tag: 'Access keys' }],
  ['main', undefined],
  ['', undefined],
  ['%E0%A4%A', undefined],
])('the old anchor #%s leads to %j', (hash, search) => expect(readOldAnchor(hash)).toEqual(search));
