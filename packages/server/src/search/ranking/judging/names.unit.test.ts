import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findNamed, isOrdinaryWord, partsOfName, placeNames, SPEAKER } from './names.ts';

/** The names are numbered from 1 on. */
function named(text: string, ...names: string[]): string[] {
  const found = findNamed(text, placeNames(names.map((name, i) => [i + 1, name])));
  return [...found].map((number) => names[number - 1] as string);
}

test.for<[name: string, parts: string[]]>([
  ['Ann', []],
  ['Ann Smith', ['Ann', 'Smith']],
  ['Ann-Marie Smith-Jones', ['Ann-Marie', 'Smith-Jones']],
  ['Mary Ann Smith', ['Mary', 'Smith']],
  ['Dr. Müller', ['Müller']],
  ['Dr. Ann Müller', ['Ann', 'Müller']],
  ['Jan van der Berg', ['Jan', 'Berg']],
  ['Jo Li', []],
  ['Mr', []],
  ['Mr Dr', []],
  ["Rory O'Brien", ['Rory', "O'Brien"]],
  ['', []],
  ['!?', []],
])('the parts of %s', ([name, parts]) => {
  expect(partsOfName(name)).toEqual(parts);
});

test.for<[text: string, names: string[], found: string[]]>([
  ['What did Ross say?', ['Ross Geller', 'Rachel Green'], ['Ross Geller']],
  ['what did ross say', ['Ross Geller', 'Rachel Green'], ['Ross Geller']],
  ['What did Geller say?', ['Ross Geller', 'Rachel Green'], ['Ross Geller']],
  ["What is Ross's job?", ['Ross Geller'], ['Ross Geller']],
  ['What is Ross’s job?', ['Ross Geller'], ['Ross Geller']],
  ["What is James' job?", ['James Hill'], ['James Hill']],
  ["Where does O'Brien live?", ["Rory O'Brien"], ["Rory O'Brien"]],
  ['What did Ann-Marie say?', ['Ann-Marie Smith', 'Ann'], ['Ann-Marie Smith']],
  ['What did Ann say?', ['Ann-Marie Smith', 'Ann'], ['Ann']],
  ['What did Ann say?', ['Ann Smith', 'Ann'], ['Ann']],
  ['What did Ann Smith say?', ['Ann Smith', 'Ann'], ['Ann Smith']],
  ['What did Ann say?', ['Ann Smith', 'Ann Jones'], []],
  ['What did Ann Jones say?', ['Ann Smith', 'Ann Jones'], ['Ann Jones']],
  ['What did Ann Jones say of Ann?', ['Ann Smith', 'Ann Jones'], ['Ann Jones']],
  ['What did Mrs Smith say?', ['Mr Smith', 'Mrs Smith'], ['Mrs Smith']],
  ['What did Smith say?', ['Mr Smith', 'Mrs Smith'], []],
  ['What did doctor Muller say?', ['Dr. Müller'], ['Dr. Müller']],
  ['What did Jan van der Berg say?', ['Jan van der Berg', 'Jan van der Meer'], ['Jan van der Berg']],
  ['What did van der Meer say?', ['Jan van der Berg', 'Jan van der Meer'], ['Jan van der Meer']],
  ['What did Ann tell Ben?', ['Ann', 'Ben'], []],
  ['What did ANN say?', ['Ann', 'ANN', 'Ben'], ['Ann', 'ANN']],
  ['What did Anna annoy?', ['Ann'], []],
  ['What did nobody say?', ['Ann'], []],
  ['Will he come?', ['Will'], []],
  ['Hello. Will he come?', ['Will Smith'], []],
  ['When will he come?', ['Will'], []],
  ['What did Will say?', ['Will Smith'], ['Will Smith']],
  ["Will's dog?", ['Will'], ['Will']],
  ['May I come?', ['May'], []],
  ['In May I came', ['Ann'], []],
  ['Did she buy a rose?', ['Rose'], []],
  ['What did Rose buy?', ['Rose Page'], ['Rose Page']],
  ['On which page is it, and how young is she?', ['Rose Page', 'Neil Young'], []],
  ['Which user reported it?', ['User', 'Ann'], []],
  ['What did the User say?', ['User', 'Ann'], ['User']],
  ['Zoe', ['Zoë'], ['Zoë']],
  ['Zoe\u0308', ['Zoë'], ['Zoë']],
  ['', ['Ann'], []],
  ['Ann', [], []],
  ['anything', ['!?'], []],
])('%s (%s)', ([text, names, found]) => {
  expect(named(text, ...names)).toEqual(found);
});

test.for<[text: string, name: string | undefined]>([
  ['Ann: hello', 'Ann'],
  [' Dr. Müller: hello', 'Dr. Müller'],
  ['Jan van der Berg: hello', 'Jan van der Berg'],
  ['Ann Marie Smith: hello', 'Ann Marie Smith'],
  ['Ann Marie Smith Jones: hello', undefined],
  ['ann: hello', undefined],
  ['Meeting in May: hello', undefined],
  ['Ann:hello', undefined],
  ['http://x.y: no', undefined],
])('who speaks: %s', ([text, name]) => {
  expect(SPEAKER.exec(text)?.[1]).toBe(name);
});

test('a name in capitals within a sentence is one, and so is what has no other meaning', () => {
  const at = (text: string, word: string) => isOrdinaryWord(text, text.indexOf(word), word);
  expect(at('Will he', 'Will')).toBe(true);
  expect(at('“Will he', 'Will')).toBe(true);
  expect(at('Yes! (Will he', 'Will')).toBe(true);
  expect(at('did Will', 'Will')).toBe(false);
  expect(at("Will's", "Will's")).toBe(false);
  expect(at("will's", "will's")).toBe(true);
  expect(at('ross', 'ross')).toBe(false);
});

const anyName = fc.oneof(fc.string({ unit: 'binary', maxLength: 20 }), fc.constantFrom('Ann', 'Ann Smith', 'Ben Smith', 'Will', 'ANN'));

test('any text and any names: one person at most, whatever the order of the names', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.uniqueArray(anyName, { maxLength: 8 }), fc.nat(), (around, names, n) => {
      const text = `${around} ${names[n % (names.length || 1)] ?? ''}`;
      const found = named(text, ...names);
      expect(named(text, ...names.toReversed()).sort()).toEqual(found.toSorted());
      expect(found.every((name) => names.includes(name))).toBe(true);
    }),
  );
});
