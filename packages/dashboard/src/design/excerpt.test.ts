import { expect, test } from 'vitest';
import { chunkExcerptOf, excerptOf, headingWithin } from './excerpt.ts';

test('a hit is shown from its beginning where its first word is near it', () => {
  expect(excerptOf('  Rice malt is safe.\n', 'is rice malt safe?')).toBe('Rice malt is safe.');
  expect(excerptOf('Nothing of it.', 'samovar')).toBe('Nothing of it.');
});

test('a hit is shown from shortly before the first word of the query', () => {
  const text = `${'flour and water '.repeat(40)}samovar boils`;
  const excerpt = excerptOf(text, 'the samovar');
  expect(excerpt).toMatch(/^… (?:flour|and|water) .*samovar boils$/);
  expect(excerpt.length).toBeLessThan(120);
});

test('a heading is said once', () => {
  expect(chunkExcerptOf('## Malts\n\nRice malt.', 'rice')).toBe('Rice malt.');
  expect(chunkExcerptOf('## Malts', 'malts')).toBe('Malts');
  expect(headingWithin('Allergens', 'Allergens › Malts › Rice')).toBe('Malts › Rice');
  expect(headingWithin('Allergens', 'Allergens')).toBe('');
  expect(headingWithin('Allergens', 'Malts')).toBe('Malts');
});

test('a text without spaces is cut at the word', () => {
  const text = `${'粉'.repeat(300)}，samovar`;
  expect(excerptOf(text, 'samovar')).toBe('… samovar');
});

test('a hit is shown without the signs of Markdown, from its first word on', () => {
  const text = `${'**flour** and [water](https://millhouse.example) '.repeat(40)}**samovar** boils`;
  expect(excerptOf(text, 'samovar')).toMatch(/^… [a-z ]*samovar boils$/);
});
