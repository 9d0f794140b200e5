import { expect, test } from 'vitest';
import { answerSchema, findAnswer } from './answer.ts';

const answer = { memories: [{ content: 'User says "}" and \\{' }], withdrawn: [] };
const json = JSON.stringify(answer);

test.for([
  ['alone', json],
  ['in a fence', `\`\`\`json\n${json}\n\`\`\``],
  ['after prose', `Here is what I found (in {braces}, and a quote "): ${json}`],
  ['before prose', `${json}\nI hope that {this} helps!`],
  ['after an object of another kind', `{"note": {"memories": 1}} ${json}`],
  ['after thoughts with a draft', `<think>{"memories": [1], "withdrawn": []}</think>\n${json}`],
  ['after thoughts that begin nowhere', `{x} is a draft: {"memories": [1]} </think> ${json}`.replace('{x}', 'This')],
] as const)('an answer is found %s', ([, content]) => {
  expect(findAnswer(content)).toEqual(answer);
});

test('the end of thoughts within a text is a text', () => {
  const quoted = { memories: [{ content: 'User writes </think> often' }], withdrawn: [] };
  expect(findAnswer(JSON.stringify(quoted))).toEqual(quoted);
});

test.for([
  ['nothing', ''],
  ['prose', 'There is nothing to remember.'],
  ['half of it', json.slice(0, -1)],
  ['a list', '[]'],
  ['another object', '{"facts": []}'],
  ['a list of the wrong kind', '{"memories": {}, "withdrawn": []}'],
  ['withdrawals of the wrong kind', '{"memories": [], "withdrawn": "none"}'],
  ['braces without end', '{'.repeat(500_000)],
] as const)('no answer is found in %s', ([, content]) => {
  expect(findAnswer(content)).toBeUndefined();
});

test('all but the memories may be missing', () => {
  expect(findAnswer('{"memories": []}')).toEqual({ memories: [] });
  expect(findAnswer('{"memories": [], "withdrawn": null, "forget_all": null}')).toEqual({
    memories: [],
    withdrawn: null,
    forget_all: null,
  });
  expect(findAnswer('{"memories": [], "forget_all": false}')).toEqual({ memories: [] });
});

test('the schema requires all that it names', () => {
  const check = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('properties' in value)
      expect(value).toMatchObject({ required: Object.keys(value.properties as object), additionalProperties: false });
    for (const each of Object.values(value)) check(each);
  };
  check(answerSchema);
  expect(JSON.stringify(answerSchema)).toMatch(/"until".*"answers".*"forgotten".*"forget_all"/);
});
