import { Fragment } from 'react';

/** Text with code in backticks, as the document's descriptions are. Nothing else in it is markup. */
export function InlineText({ text }: { readonly text: string }) {
  return text.split(/`([^`]+)`/).map((part, at) => {
    // The parts of one text never move, so that their place names them.
    const key = `${at}`;
    return at % 2 === 1 ? <code key={key}>{part}</code> : <Fragment key={key}>{part}</Fragment>;
  });
}

export function Prose({ text, className = 'docs-prose' }: { readonly text: string | undefined; readonly className?: string }) {
  if (!text) return null;
  return (
    <div className={className}>
      {text.split(/\n{2,}/).map((paragraph) => (
        <p key={paragraph}>
          <InlineText text={paragraph} />
        </p>
      ))}
    </div>
  );
}
