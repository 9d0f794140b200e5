import { Fragment } from 'react';

const tokens =
  /(?<key>"(?:\\.|[^"\\])*")(?=\s*:)|(?<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|(?<variable>\$[A-Z_]{2,}|process\.env\.\w+)|(?<word>\b(?:import|from|const|await|new|for|of|print|curl|true|false|null|True|False|None)\b)/g;

const looks = { key: 'tok-k', string: 'tok-s', variable: 'tok-v', word: 'tok-c' } as const;

/** JSON and the samples, with their strings, keys and variables told apart. Copying takes the text, not this. */
export function Coloured({ text }: { readonly text: string }) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(tokens)) {
    const kind = (Object.keys(looks) as (keyof typeof looks)[]).find((name) => match.groups?.[name] !== undefined);
    if (match.index > end) parts.push(<Fragment key={end}>{text.slice(end, match.index)}</Fragment>);
    parts.push(
      <span key={match.index} className={kind && looks[kind]}>
        {match[0]}
      </span>,
    );
    end = match.index + match[0].length;
  }
  return [...parts, <Fragment key="rest">{text.slice(end)}</Fragment>];
}
