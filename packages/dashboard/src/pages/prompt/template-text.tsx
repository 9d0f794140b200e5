import { fillTemplate, splitTemplate, type Values } from './template.ts';

/** A text with its placeholders coloured. */
export function TemplateText({ text }: { readonly text: string }) {
  return splitTemplate(text).map(({ text: part, name, at }) =>
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
  return fillTemplate(text, values).map(({ text: part, kind, at }) =>
    kind === 'plain' ? (
      part
    ) : (
      <span key={at} className={kind === 'filled' ? 'var' : 'var unset'}>
        {part}
      </span>
    ),
  );
}
