import { expect, test } from 'vitest';
import { contents, DAY } from '../conversation-for-test.ts';
import { extractFromMessage } from '../extract.ts';
import { processorMsOf } from '../processor-time-for-test.ts';

test.each([
  ["My sister Paula is coming over. She's a vet", "User's sister Paula is a vet"],
  ['Paula, my sister, is coming. She is a vet', "User's sister Paula is a vet"],
  ["We adopted a greyhound. His name is Biscuit, he's a retired racer", "User's greyhound is a retired racer"],
  ['We adopted a greyhound. His name is Biscuit', "User's greyhound's name is Biscuit"],
  ['my daughter Ines she turned seven', "User's daughter Ines turned seven"],
  ["my son Kwame he's fourteen", "User's son Kwame is fourteen"],
  ['my sister gudrun she loves bees', "User's sister gudrun loves bees"],
  ["my brother in law Stefan he's um he's in rehab", "User's brother in law Stefan is in rehab"],
  ['I have two rats, Pip and Squeak. They live in a Critter Nation', "User's rats live in a Critter Nation"],
  ['What to cook for my in-laws? they are vegan', "User's in-laws are vegan"],
  ['my sister is a vet and she lives in Rome', "User's sister lives in Rome"],
  ["My sister's husband is a pilot. He flies for KLM", "User's sister's husband flies for KLM"],
  ['My boss is Oyvind and he hates long emails', "User's boss is Oyvind and hates long emails"],
  ['My laptop is a ThinkPad X1. It runs Linux Mint 22', "User's laptop runs Linux Mint 22"],
  ['I need a present for my nephew Otis, he is obsessed with trains', "User's nephew Otis is obsessed with trains"],
  ['My dad and my sister are visiting. She is allergic to nuts', "User's sister is allergic to nuts"],
  ['I have power of attorney for my aunt Lotte. shes in Basel', "User's aunt Lotte is in Basel"],
])('a pronoun is read for whom it means: %s', (message, expected) => {
  expect(contents(message)).toContain(expected);
});

test.each([
  'My sister Paula met Anna. She lives in Rome',
  'My mum and my sister are visiting. She is allergic to nuts',
  'My dad is visiting. She is allergic to nuts',
  'My mother in law is visiting. He is a cook',
  'My sister has a new friend. She is a vet',
  'My brother is older than our father was. He is a pilot',
  'I read about my neighbour and a doctor. He lives in Rome',
  'Our kids love the neighbours. They live in Rome',
  'He is a vet and he lives in Rome',
  'My sister is ill. What a day. The news is bad. Is it late? She is a vet',
  'My kitchen is small. It is raining in Rome',
  'My brother Anselm met Bo. He is 47 and our father was ill. He is a pilot',
])('nobody is guessed at: %s', (message) => {
  expect(contents(message).filter((content) => / (?:vet|pilot|cook|Rome|nuts|raining)\b/.test(content))).toEqual([]);
});

function second(first: string, between: string, content: string) {
  const before = [
    { id: 'first', role: 'user', content: first },
    { id: 'between', role: 'assistant', content: between },
  ] as const;
  return extractFromMessage({ id: 'second', content, createdAt: DAY, before }, []).memories;
}

test('someone named in the message before is meant, and it rests on that message', () => {
  expect(second('My sister Paula is coming over.', 'How nice!', "She's a vet in Rome.")).toMatchObject([
    { content: "User's sister Paula is a vet in Rome", heardIn: ['first'] },
  ]);
  expect(second('My son Teodor is deaf.', 'Thank you for telling me.', 'I live in Bath. He signs BSL.')).toMatchObject([
    { content: 'User lives in Bath', heardIn: undefined },
    { content: "User's son Teodor signs BSL", heardIn: ['first'] },
  ]);
});

test('nobody of the message before is meant once others were named', () => {
  expect(second('My sister Paula is coming over.', 'Is it because of Anna?', 'She is a vet.')).toEqual([]);
  expect(second('My dad is coming over.', 'How nice!', 'She is a vet.')).toEqual([]);
});

test('the time it takes grows with the text, not faster', () => {
  const sentence = 'My sister Paula is coming over and she is a vet, my dad said he knows. ';
  const ms = (count: number) => processorMsOf(() => contents(sentence.repeat(count)));
  ms(5);
  expect(ms(80)).toBeLessThan(40 * Math.max(5, ms(10)));
});
