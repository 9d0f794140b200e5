/** Marks the words of a query in a text, as evidence. The text stays text: nothing in it is read as HTML. */

const SHORTEST_WORD = 2;
/** Marked everywhere they would say nothing. Where a query has no others, they are what it asks for. */
const functionWords = new Set(
  'a an and are as at be but by can did do does for from had has have how i if in is it its me my of on or our so that the their them they this to was we were what when where which who why will with you your'.split(
    ' ',
  ),
);

function wordsOf(query: string): Set<string> {
  const words = (query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => word.length >= SHORTEST_WORD);
  const telling = words.filter((word) => !functionWords.has(word));
  return new Set(telling.length > 0 ? telling : words);
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
