import { expect, test } from 'vitest';
import { plainText } from './plain-text.ts';

test.each([
  ['# Deliveries', 'Deliveries'],
  ['### Vans leave at **four** ###', 'Vans leave at four ###'],
  ['**Orders** are taken *until noon*, _not later_.', 'Orders are taken until noon, not later.'],
  ['See [the handbook](https://millhouse.example/handbook "Handbook") and ![a van](van.png).', 'See the handbook and a van.'],
  ['By [mail][1] or <mailto:desk@millhouse.example>', 'By mail or mailto:desk@millhouse.example'],
  ['Run `npm run **all**` first', 'Run npm run **all** first'],
  ['**Use `a_b`**, never **`c*d`**', 'Use a_b, never c*d'],
  ['> Quoted\n> > twice', 'Quoted\ntwice'],
  ['* one\n+ two\n- three\n1. four', '- one\n- two\n- three\n1. four'],
  ['| Flour | Sack |\n|---|---:|\n| Spelt | **25 kg** |', 'Flour, Sack\nSpelt, 25 kg'],
  ['Title\n=====\n\n---\nText', 'Title\n\nText'],
  ['```sh\n# a comment with **signs**\n```\n**after**', '# a comment with **signs**\nafter'],
  ['\\*not emphasis\\*', '*not emphasis*'],
  ['粉**强**粉', '粉强粉'],
])('%j reads %j', (markdown, plain) => expect(plainText(markdown)).toBe(plain));

test.each([
  ...['2 * 3 * 4 = 24', '2**8 and 2**9', 'snake_case_name', '__init__', 'a #tag, #1 of 3', '-5 degrees', 'x < y > z', '5 - 3'],
  ...['[ ] open', 'see [1]', 'C:\\temp', 'a | b', '<script>alert(1)</script>', '*', '**', '{{company}}'],
])('%j is nothing but text', (text) => expect(plainText(text)).toBe(text));

test('no text makes it slow', () => {
  const before = process.threadCpuUsage().user;
  for (const sign of [
    '[',
    '![',
    '*a',
    '**a',
    '***',
    '_a ',
    '`',
    '~~a',
    '<https://',
    '> ',
    '|',
    '|-',
    '- ',
    '* ',
    '\\',
    '[a](',
    '#',
    '=',
    '_ ',
  ])
    plainText(sign.repeat(200_000 / sign.length));
  for (const start of ['-|-', '|-|', '>', '*', '|a|', '#']) plainText(`${start}${' '.repeat(200_000)}x`);
  // A second would be a hundred times what it takes; a quadratic one takes minutes.
  expect(process.threadCpuUsage().user - before).toBeLessThan(5_000_000);
});
