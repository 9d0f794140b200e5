import fc from 'fast-check';
import { expect, test } from 'vitest';
import { processorMsOf } from '../../test/processor-time.ts';
import { CHUNK_OVERLAP, CHUNK_SIZE, type Chunk, type ChunkingStrategy, chunksOf, MOST_SECTIONS, strategyOf } from './chunking.ts';

const texts = (chunks: readonly Chunk[]) => chunks.map(({ text }) => text);
const withPaths = (chunks: readonly Chunk[]) => chunks.map(({ heading, text }) => [heading, text]);

/** What the offsets of a chunk say of a file, in code points. */
function cutOut(source: string, { startOffset, endOffset }: Chunk): string {
  return [...source].slice(startOffset, endOffset).join('').replaceAll('\0', '\ufffd');
}

test('the strategy follows from the type of the file', () => {
  expect(strategyOf('text/markdown')).toBe('markdown');
  expect(strategyOf('text/plain')).toBe('text');
});

test('a chunk opens with its heading, and knows those above', () => {
  const source =
    '# Guide\n\nIntro.\n\n## Install\n\nRun it.\n\n### Linux\n\nUse apt.\n\n## Use\n\nCall it.\n\nReference\n===\n\nAll.\n\nMore\n---\n\nEnd.\n';
  expect(withPaths(chunksOf(source, 'markdown'))).toEqual([
    ['Guide', '# Guide\n\nIntro.'],
    ['Guide › Install', '## Install\n\nRun it.'],
    ['Guide › Install › Linux', '### Linux\n\nUse apt.'],
    ['Guide › Use', '## Use\n\nCall it.'],
    ['Reference', 'Reference\n===\n\nAll.'],
    ['Reference › More', 'More\n---\n\nEnd.'],
  ]);
});

test.for([
  ['before any heading', 'Preface.\n\n# One\n\nText.', ['', 'One']],
  ['levels that are left out', '# One\n\n### Three\n\na\n\n## Two\n\nb', ['One', 'One › Three', 'One › Two']],
  ['a closing run of #', '## Two ##\n\na', ['Two']],
  ['a name that ends with #', '# C#\n\na', ['C#']],
  ['a heading without words', '# A\n\na\n\n##\n\nb', ['A', 'A']],
  ['seven # are no heading', '####### no\n\na', ['']],
  ['# without a space is no heading', '#no\n\na', ['']],
  ['NUL, which PostgreSQL would refuse', '# a\0b\n\nc\0d', ['a\ufffdb']],
] as const)('headings: %s', ([, source, paths]) => {
  expect(chunksOf(source, 'markdown').map(({ heading }) => heading)).toEqual(paths);
});

test('a heading as long as a file is kept short where it stands with each of its chunks', () => {
  const title = `😀${'word '.repeat(20_000)}`;
  const chunks = chunksOf(`# ${title}\n\n${'Some text. '.repeat(500)}`, 'markdown');
  for (const { heading } of chunks) {
    expect(heading.length).toBeLessThanOrEqual(200);
    expect(heading.isWellFormed()).toBe(true);
  }
  expect(chunksOf(`# ${'😀'.repeat(150)}\n\na`, 'markdown')[0]?.heading).toBe('😀'.repeat(100));
});

test.for(['```', '~~~', '````'])('# within %s is code and no heading', (fence) => {
  const code = `${fence}sh\n# not a heading\nls\n${fence}`;
  expect(withPaths(chunksOf(`# Shell\n\nSee:\n\n${code}\n\nDone.`, 'markdown'))).toEqual([
    ['Shell', `# Shell\n\nSee:\n\n${code}\n\nDone.`],
  ]);
});

test('a fence is closed by one at least as long, and by the end of the file if by none', () => {
  const nested = '````md\n```\n# still code\n```\n````';
  expect(withPaths(chunksOf(`${nested}\n\n# After\n\na`, 'markdown'))).toEqual([
    ['', nested],
    ['After', '# After\n\na'],
  ]);
  expect(withPaths(chunksOf('# A\n\n```\n# code\n\n# code', 'markdown'))).toEqual([['A', '# A\n\n```\n# code\n\n# code']]);
});

const filler = (length: number) =>
  'Lorem ipsum. '
    .repeat(Math.ceil(length / 13))
    .slice(0, length)
    .trim();

test.for([
  ['a code block', `\`\`\`js\n${'const a = 1;\n\n'.repeat(50)}\`\`\``],
  ['a table', `| a | b |\n|---|:-:|\n${'| one | two |\n'.repeat(50).trimEnd()}`],
  ['a table without outer bars', `a | b\n--- | ---\n${'one | two\n'.repeat(60).trimEnd()}`],
  ['a list', '- item of a list\n  goes on here\n'.repeat(20).trimEnd()],
  ['a loose list', '1. item of a list\n\n   goes on here\n\n'.repeat(18).trimEnd()],
  ['a paragraph', filler(700)],
])('%s that fits stays whole', ([, block]) => {
  const chunks = texts(chunksOf(`${filler(900)}\n\n${block}\n\n${filler(900)}`, 'markdown'));
  expect(chunks).toEqual([filler(900), block, filler(900)]);
});

test('what is too large is cut between lines or items, prose between sentences, with an overlap', () => {
  const rows = Array.from({ length: 200 }, (_, index) => `| row ${index} | value |`);
  const table = ['| a | b |', '|---|---|', ...rows].join('\n');
  const ofTable = texts(chunksOf(table, 'markdown'));
  expect(ofTable.length).toBeGreaterThan(1);
  expect(ofTable.join('\n')).toBe(table);

  const prose = Array.from({ length: 100 }, (_, index) => `Sentence number ${index} says this and that.`).join(' ');
  const ofProse = chunksOf(prose, 'text');
  expect(ofProse.length).toBeGreaterThan(1);
  for (const [index, { text, startOffset }] of ofProse.entries()) {
    expect(text).toMatch(/^Sentence .*that\.$/s);
    const before = ofProse[index - 1];
    if (before) {
      expect(before.endOffset).toBeGreaterThan(startOffset);
      expect(before.endOffset - startOffset).toBeLessThanOrEqual(CHUNK_OVERLAP);
    }
  }
});

test('plain text knows no Markdown', () => {
  expect(withPaths(chunksOf('# No heading\n\n- no list', 'text'))).toEqual([['', '# No heading\n\n- no list']]);
});

test('CRLF and CR end lines as LF does', () => {
  for (const end of ['\r\n', '\r']) {
    const source = ['# A', '', 'one', 'two', '', '```', '# code', '```', '', '## B', '', '- x', '- y'].join(end);
    expect(withPaths(chunksOf(source, 'markdown'))).toEqual([
      ['A', ['# A', '', 'one', 'two', '', '```', '# code', '```'].join(end)],
      ['A › B', ['## B', '', '- x', '- y'].join(end)],
    ]);
  }
});

test('offsets count code points, not UTF-16 units', () => {
  const source = '# 😀😀\n\n👩‍👩‍👧 family\n\n## 漢字\n\n𝒳 marks the spot.';
  const chunks = chunksOf(source, 'markdown');
  expect(chunks.map(({ startOffset, endOffset }) => [startOffset, endOffset])).toEqual([
    [0, 18],
    [20, 44],
  ]);
  for (const chunk of chunks) expect(cutOut(source, chunk)).toBe(chunk.text);
});

test.for(['', ' ', '\n\n\r\n\t', '\u3000\u2003'])('no text gives no chunk: %j', (source) => {
  expect(chunksOf(source, 'markdown')).toEqual([]);
  expect(chunksOf(source, 'text')).toEqual([]);
});

test('a line of pairs of surrogates is cut between them', () => {
  for (const shift of ['', 'x']) {
    const source = shift + '😀'.repeat(5_000);
    const chunks = chunksOf(source, 'text');
    expect(chunks.every(({ text }) => text.isWellFormed() && text.length <= CHUNK_SIZE)).toBe(true);
    expect(texts(chunks).join('')).toBe(source);
  }
});

// Each of these took from seconds to hours when a rule looked back over a line, or counted from the beginning of the file.
test.for([
  ['one word', 'x'.repeat(2_000_000)],
  ['one line of words', 'word '.repeat(400_000)],
  ['one paragraph of short lines', 'a b c\n'.repeat(300_000)],
  ['one heading', `# ${'word '.repeat(400_000)}`],
  ['one heading of #', `# ${'#'.repeat(1_000_000)}x`],
  ['one heading with a gap', `# a${' '.repeat(1_000_000)}b`],
  ['indented text', `${' '.repeat(500_000)}x\n${' '.repeat(500_000)}y`],
  ['dashes', `a | b\n${'-'.repeat(500_000)}x\n| ${' - '.repeat(300_000)}`],
  ['bars', '|'.repeat(1_000_000)],
  ['an open fence', `\`\`\`\n${'```x\n'.repeat(300_000)}`],
  ['loose items', '- a\n\n'.repeat(400_000)],
  ['no space between sentences', '漢字。'.repeat(200_000)],
] as const)('a file of %s is cut within seconds', ([, source]) => {
  let chunks: ReturnType<typeof chunksOf> = [];
  expect(processorMsOf(() => (chunks = chunksOf(source, 'markdown')))).toBeLessThan(10_000);
  expect(Math.max(...chunks.map(({ text }) => text.length))).toBeLessThanOrEqual(CHUNK_SIZE * 1.25);
});

test('a heading far above its text does not take the emptiness between them along', () => {
  const chunks = chunksOf(`# A\n${'\n'.repeat(50_000)}${filler(1_190)}`, 'markdown');
  expect(withPaths(chunks)).toEqual([
    ['A', '# A'],
    ['A', filler(1_190)],
  ]);
});

const line = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\t',
    '```',
    '~~~~',
    '| a | b |',
    '|---|---|',
    '===',
    '---',
    '- item',
    '  indented',
    '1. one',
    '# Heading',
    '### Deep ##',
  ),
  fc.string({ unit: 'binary', maxLength: 120 }).filter((text) => text.isWellFormed()),
  fc.lorem({ maxCount: 12, mode: 'sentences' }),
  fc.constantFrom('😀'.repeat(90), 'x'.repeat(300), '漢字かな。'.repeat(40), 'שלום עולם '.repeat(20)),
);
const source = fc
  .tuple(fc.array(line, { maxLength: 40 }), fc.constantFrom('\n', '\r\n', '\r', '\n\n'))
  .map(([lines, end]) => lines.join(end));
const strategy = fc.constantFrom<ChunkingStrategy>('markdown', 'text');
const sizes = fc.constantFrom([1200, 120], [200, 40], [60, 20], [40, 0]);

test('chunks lie in order, are of bounded size, are what their offsets say, and leave out nothing but white space', () => {
  fc.assert(
    fc.property(source, strategy, sizes, (text, how, [size = 0, overlap = 0]) => {
      const chunks = chunksOf(text, how, size, overlap);
      const points = [...text];
      let covered = 0;
      for (const [index, chunk] of chunks.entries()) {
        expect(chunk.position).toBe(index);
        expect(chunk.text).toBe(cutOut(text, chunk));
        expect(chunk.text.trim()).toBe(chunk.text);
        expect(chunk.text).not.toBe('');
        expect(chunk.text.isWellFormed()).toBe(true);
        expect(chunk.text.length).toBeLessThanOrEqual(size * 1.25);
        expect(points.slice(covered, chunk.startOffset).join('').trim()).toBe('');
        expect(covered - chunk.startOffset).toBeLessThanOrEqual(overlap);
        expect(chunk.endOffset).toBeGreaterThan(covered);
        covered = chunk.endOffset;
      }
      expect(points.slice(covered).join('').trim()).toBe('');
    }),
    { numRuns: 400 },
  );
});

test('a file of nothing but headings is cut by size', () => {
  const count = MOST_SECTIONS + 1;
  for (const section of ['# a\n', '# a\nx\n']) {
    const chunks = chunksOf(section.repeat(count), 'markdown');
    expect(chunks.length).toBeLessThan((2 * section.length * count) / CHUNK_SIZE);
    expect(texts(chunks).join('\n').match(/# a/g)).toHaveLength(count);
    expect(chunksOf(section.repeat(MOST_SECTIONS), 'markdown')).toHaveLength(MOST_SECTIONS);
  }
});

test('the same text gives the same chunks', () => {
  fc.assert(
    fc.property(source, strategy, (text, how) => {
      expect(chunksOf(text, how)).toEqual(chunksOf(text, how));
    }),
    { numRuns: 50 },
  );
});
