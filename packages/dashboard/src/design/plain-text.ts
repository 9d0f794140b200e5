/** Markdown as plain words, for lists and excerpts. Where a text is read as a whole, it is shown as it was written. */

/** Each expression looks at a sign a few times at most, whatever the text: none of them can be made slow. */
const inline: readonly (readonly [RegExp, string])[] = [
  // ![alt](address), [words](address), [words][reference]
  [/!?\[([^\][\n]*)\](?:\([^()\n]*\)|\[[^\][\n]*\])/g, '$1'],
  [/<((?:https?:\/\/|mailto:)[^<>\s]+)>/g, '$1'],
  // Within a word they are arithmetic or a name: 2**8, snake_case.
  [/(?<![\w*])\*\*\*(?=\S)([^*\n]+)(?<=\S)\*\*\*(?![\w*])/g, '$1'],
  [/(?<![\w*])\*\*(?=\S)([^*\n]+)(?<=\S)\*\*(?![\w*])/g, '$1'],
  [/(?<![\w*])\*(?=\S)([^*\n]+)(?<=\S)\*(?![\w*])/g, '$1'],
  [/(?<![\w_])_(?=\S)([^_\n]+)(?<=\S)_(?![\w_])/g, '$1'],
  [/~~(?=\S)([^~\n]+)(?<=\S)~~/g, '$1'],
];

const FENCE = /^ {0,3}(?:```|~~~)/;
/** A line under a heading, or between parts, or under the head of a table. */
const RULE = /^ {0,3}(?:=+|-{2,}|(?:\* ?){3,}|(?:_ ?){3,}|\|?(?: *:?-+:? *\|)+(?: *:?-+:?)?)\s*$/;

/** Of code, and of signs that are escaped. They stand for themselves, also within what is emphasized. */
const LITERAL = /`([^`\n]+)`|\\([\\`*_{}[\]()#+\-.!|>~])/g;

function plainInline(line: string): string {
  const kept: string[] = [];
  // Signs of no script, which nobody types.
  const marked = line.replace(LITERAL, (_, code?: string, sign?: string) => `\uE000${kept.push(code ?? sign ?? '') - 1}\uE001`);
  const plain = inline.reduce((text, [sign, words]) => text.replace(sign, words), marked);
  return plain.replace(/\uE000(\d+)\uE001/g, (mark, at: string) => kept[Number(at)] ?? mark);
}

function plainLine(line: string): string {
  const words = line
    .replace(/^(?: {0,3}> ?)+/, '')
    .replace(/^ {0,3}#{1,6}(?: +|$)/, '')
    .replace(/^(\s*)[*+] (?=\S)/, '$1- ');
  const cells = /^\s*\|(.+)\|\s*$/.exec(words)?.[1];
  return plainInline(
    cells === undefined
      ? words
      : cells
          .split('|')
          .map((cell) => cell.trim())
          .join(', '),
  );
}

export function plainText(markdown: string): string {
  const lines: string[] = [];
  let inCode = false;
  for (const line of markdown.split('\n')) {
    if (FENCE.test(line)) inCode = !inCode;
    else if (inCode) lines.push(line);
    else if (!RULE.test(line)) lines.push(plainLine(line));
  }
  return lines.join('\n');
}
