import { type FilledPart, fillTemplate, splitTemplate, type TemplatePart, type Values } from './template.ts';

/** Thirty thousand elements would hold up the page for seconds. */
const MOST_PARTS = 2_000;

/** The first of them; what comes after is one part without colour. */
function few<Part extends TemplatePart | FilledPart>(
  parts: readonly Part[],
): readonly (Part | { text: string; at: number; kind: 'plain'; name?: never })[] {
  if (parts.length <= MOST_PARTS) return parts;
  const rest = parts.slice(MOST_PARTS);
  return [...parts.slice(0, MOST_PARTS), { text: rest.map(({ text }) => text).join(''), at: rest[0]?.at ?? 0, kind: 'plain' }];
}

/** A text with its placeholders coloured. */
export function TemplateText({ text }: { readonly text: string }) {
  return few(splitTemplate(text)).map(({ text: part, name, at }) =>
    name === undefined ? (
      part
    ) : (
      <span key={at} className="tok-v">
        {part}
      </span>
    ),
  );
}

/** A text with what has a value filled in; the rest stands out. */
export function FilledText({ text, values }: { readonly text: string; readonly values: Values }) {
  return few<FilledPart>(fillTemplate(text, values)).map(({ text: part, kind, at }) =>
    kind === 'plain' ? (
      part
    ) : (
      <span key={at} className={kind === 'filled' ? 'var' : 'var unset'}>
        {part}
      </span>
    ),
  );
}
