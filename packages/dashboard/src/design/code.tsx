import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';

/** Copy gives the plain text, whatever the colours. */
export function CodeBlock({ label, text, children }: { readonly label: string; readonly text: string; readonly children?: ReactNode }) {
  return (
    <div className="code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <section className="code-scroll" tabIndex={0} aria-label={label}>
        <pre className="with-copy">
          <code>{children ?? text}</code>
        </pre>
      </section>
      <CopyButton text={text} className="copy" />
    </div>
  );
}

/** What is shown once. */
export function SecretText({ text }: { readonly text: string }) {
  return (
    <div className="secret">
      <code>{text}</code>
      <CopyButton text={text} />
    </div>
  );
}

/** An id, whole, with a button that copies it. */
export function IdText({ id }: { readonly id: string }) {
  return (
    <span className="row id-text">
      <code className="truncate" title={id}>
        {id}
      </code>
      <CopyButton text={id} label={`Copy ${id}`} iconOnly />
    </span>
  );
}

/** Names and values, as of the fields of one thing. */
export function KeyValues({ items }: { readonly items: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="kv">
      {items.map(([name, value]) => (
        <div key={name} className="kv-pair">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
