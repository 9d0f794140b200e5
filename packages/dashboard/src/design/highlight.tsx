/** Marks the words of a query in a text, as evidence. The text stays text: nothing in it is read as HTML. */

const SHORTEST_WORD = 2;

function wordsOf(query: string): Set<string> {
  const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.filter((word) => word.length >= SHORTEST_WORD));
}

export function Highlight({ text, query }: { readonly text: string; readonly query: string }) {
  const words = wordsOf(query);
  if (words.size === 0) return text;
  const parts = text.split(/([\p{L}\p{N}]+)/u);
  return parts.map((part, at) => {
    // The parts of one text never move, so that their place names them.
    const key = `${at}`;
    return at % 2 === 1 && words.has(part.toLowerCase()) ? <mark key={key}>{part}</mark> : part;
  });
}
