import { Link } from '@tanstack/react-router';
import { useWindowTitle } from '../../design/page.tsx';
import type { Operation, Tag } from './document.ts';
import { MethodBadge, PathText } from './method-badge.tsx';
import { Prose } from './prose.tsx';

export function OperationList({ label, operations }: { readonly label: string; readonly operations: readonly Operation[] }) {
  return (
    <ul className="card docs-operations" aria-label={label}>
      {operations.map(({ id, summary, method, path }) => (
        <li key={id}>
          <Link from="/docs" to="/docs" search={({ language }) => ({ operation: id, ...(language && { language }) })}>
            <span className="docs-operation-name">{summary}</span>
            <MethodBadge method={method} />
            <PathText path={path} />
          </Link>
        </li>
      ))}
    </ul>
  );
}

export function TagView({ tag }: { readonly tag: Tag }) {
  useWindowTitle(`${tag.name} · API reference`);
  return (
    <div className="stack docs-narrow">
      <div>
        <h1 className="page-title">{tag.name}</h1>
        <Prose text={tag.description} className="page-lede" />
      </div>
      <OperationList label={`Operations of ${tag.name}`} operations={tag.operations} />
    </div>
  );
}
