import { expect, test } from 'vitest';
import { contents } from '../conversation-for-test.ts';
import { withoutExaggeration } from './exaggeration.ts';
import { withoutFillers } from './fillers.ts';

test.each([
  ['I picked up um woodturning again after like ten years', ['User picked up woodturning again after ten years']],
  ['um so yeah I uh I live in Cork and um I have like two dogs', ['User lives in Cork', 'User has two dogs']],
  ["my wife she's um she's a vet", ["User's wife is a vet"]],
  ['my sister Birgit she loves hiking', ["User's sister Birgit loves hiking"]],
  ['I work, you know, in a bakery', ['User works in a bakery']],
  ['I moved to to Berlin in in March', ['User moved to Berlin in March 2026']],
  ['my daughter is into like horses and stuff', ["User's daughter is into horses"]],
  ['I mean I am vegan', ['User is vegan']],
  ['I live in Leeds lol', ['User lives in Leeds']],
  ['haha I have three cats', ['User has three cats']],
  ['omg I work at IBM now', ['User works at IBM']],
  ['sooo I live in Ghent', ['User lives in Ghent']],
  ['I have celiac disease 😭😭', ['User has celiac disease']],
  ['I really really love sushi', ['User loves sushi']],
  ['I live in Bora Bora', ['User lives in Bora Bora']],
  ['I like three things: tea, cake and naps', ['User likes three things: tea, cake and naps']],
  ['do you know my name? I live in Leeds', ['User lives in Leeds']],
  ['I moved to Leeds since we last talked', ['User moved to Leeds']],
  ["it's been a while! I work at Siemens now", ['User works at Siemens']],
  ['been ages since we spoke, I live in Bonn', ['User lives in Bonn']],
  ['Been vegan since 2019', ['User has been vegan since 2019']],
  ["I've been a nurse for ten years", ['User has been a nurse for ten years']],
  ['Winning the title was amazing', []],
  ['Winning the title after ten years felt amazing', []],
  ['Getting the keys today made me cry', []],
  ['Losing my job in May really hurt', []],
  ['Working as a nurse in Leeds', ['User is working as a nurse in Leeds']],
  ["Let me know when you're free", []],
  ['Write back when you can', []],
  ['Always let me know when you are guessing', ['User wants the assistant to always let them know when it is guessing']],
  ["I've had quite a day", []],
  ["omg I can't even", []],
  ['today was legs and I can literally not walk down stairs', []],
  ["I can't walk since the accident", ['User cannot walk since the accident']],
  ["I'm dead", []],
  ["I'm dead tired, I work nights", ['User works nights']],
  ['I could eat a horse', []],
  ["I could eat a horse, but I'm vegetarian", ['User is vegetarian']],
  ['my inbox is a horror movie', []],
  ['my legs are dead today lol', []],
  ["I've eaten so much I can't move", []],
  ['I rest my case', []],
  ["I'm starving, what can I cook? I'm allergic to eggs.", ['User is allergic to eggs']],
])('%s', (message, expected) => {
  expect(contents(message)).toEqual(expected);
});

test('words that put something right stay', () => {
  expect(contents('I live in Leeds', 'I mean Hull')).toEqual(['User lives in Hull']);
  expect(contents('I have two cats. I mean three.')).toEqual(['User has three cats']);
});

test('a line without any of it is left as it is', () => {
  const line = 'Hmm-free prose: I live in Baden-Baden, 12 km from Strasbourg, and like it.';
  expect(withoutFillers(line)).toBe(line);
  expect(withoutExaggeration(line)).toBe(line);
});

test('the work is bounded by the length of the line', () => {
  for (const word of ['so ', 'um ', 'I am so ', 'like ', 'you know ', 'ha', 'been a ', 'the the '] as const) {
    const line = word.repeat(Math.ceil(2000 / word.length));
    const start = performance.now();
    withoutExaggeration(withoutFillers(line));
    expect(performance.now() - start).toBeLessThan(500);
  }
});
