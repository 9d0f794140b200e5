/** The method of a call. What deletes stands out; the others differ by their word. */
export function MethodBadge({ method }: { readonly method: string }) {
  return (
    <span className={method === 'DELETE' ? 'badge danger method' : 'badge method'} data-method={method}>
      {method}
    </span>
  );
}

/** A path that may break after a slash, with its parameters set apart. */
export function PathText({ path }: { readonly path: string }) {
  const parts = path.split(/(?<=\/)/);
  return (
    <code className="docs-path">
      {parts.map((part, at) => {
        const key = `${at}`;
        const [, id, rest] = /^(\{\w+\})(\/?)$/.exec(part) ?? [];
        return (
          <span key={key}>
            {id ? <span className="tok-k">{id}</span> : part}
            {rest}
            <wbr />
          </span>
        );
      })}
    </code>
  );
}
