/** Strings, notes and keywords of a snippet in their colours. Enough for a screenful of code, and no grammar. */

const looks = [
  { look: 'tok-c', pattern: /(?:^|(?<=\s))(?:#|\/\/).*/ },
  { look: 'tok-s', pattern: /"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|`[^`]*`/ },
  { look: 'tok-v', pattern: /\$[A-Z]+\b/ },
  {
    look: 'tok-k',
    pattern: /\b(?:const|let|await|async|function|import|from|for|of|if|new|throw|return|def|with|as|in|break|do|done|None)\b(?![\w=-])/,
  },
] as const;

const anything = new RegExp(looks.map(({ pattern }) => `(${pattern.source})`).join('|'), 'gm');

export function ColouredCode({ text }: { readonly text: string }) {
  const parts = [];
  let from = 0;
  for (const match of text.matchAll(anything)) {
    const at = match.slice(1).findIndex((group) => group !== undefined);
    parts.push(text.slice(from, match.index));
    parts.push(
      <span key={match.index} className={looks[at]?.look}>
        {match[0]}
      </span>,
    );
    from = match.index + match[0].length;
  }
  return [...parts, text.slice(from)];
}

/** Of a configuration: keys apart from values. */
export function ColouredJson({ text }: { readonly text: string }) {
  return text.split(/("(?:[^"\\]|\\.)*"(?::)?)/).map((part, at) => {
    // The parts of one text never move, so that their place names them.
    const key = `${at}`;
    if (!part.startsWith('"')) return part;
    const isKey = part.endsWith(':');
    return (
      <span key={key}>
        <span className={isKey ? 'tok-k' : 'tok-s'}>{isKey ? part.slice(0, -1) : part}</span>
        {isKey && ':'}
      </span>
    );
  });
}
