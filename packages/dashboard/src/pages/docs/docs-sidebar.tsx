import { getRouteApi, Link } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { SearchField } from '../../design/field.tsx';
import { plural } from '../../design/numbers.ts';
import { useShortcuts } from '../../shell/shortcuts.ts';
import { SidebarFrame } from '../../shell/sidebar-frame.tsx';
import { findOperations, type Operation, type Reference, type Tag } from './document.ts';

const route = getRouteApi('/docs');

interface DocsSidebarProps {
  readonly reference: Reference | undefined;
  readonly open: boolean;
  readonly onOpen: () => void;
  readonly onClose: () => void;
}

/** Search, and every operation under its tag. */
export function DocsSidebar({ reference, open, onOpen, onClose }: DocsSidebarProps) {
  const search = useRef<HTMLInputElement>(null);
  const { q = '', language } = route.useSearch();
  const navigate = route.useNavigate();
  const find = (next: string) =>
    void navigate({ search: ({ q: _, ...before }) => (next ? { ...before, q: next } : before), replace: true, resetScroll: false });
  useShortcuts({
    '/': () => {
      onOpen();
      // Once the sheet is in sight, on a small screen.
      requestAnimationFrame(() => search.current?.select());
    },
  });
  const found = findOperations(reference?.operations ?? [], q);
  const openFirst = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && q && found[0]) void navigate({ search: { operation: found[0].id, q, ...(language && { language }) } });
    if (event.key === 'Escape' && q) {
      event.stopPropagation();
      find('');
    }
  };
  return (
    <SidebarFrame label="Operations" open={open} onClose={onClose}>
      <div className="docs-search">
        <SearchField
          ref={search}
          label="Search the reference"
          value={q}
          onChange={(event) => find(event.target.value)}
          onKeyDown={openFirst}
          aria-keyshortcuts="/"
        />
        <p className="sr-only" role="status">
          {q && plural(found.length, 'operation')}
        </p>
      </div>
      <nav className="sidebar-scroll" aria-label="Reference">
        <ul>
          {reference?.tags.map((tag) => (
            <TagItem key={tag.name} tag={tag} found={tag.operations.filter((each) => found.includes(each))} />
          ))}
        </ul>
        {reference && found.length === 0 && (
          <p className="docs-none muted">
            Nothing is called “{q}”.{' '}
            <button type="button" className="link" onClick={() => find('')}>
              Show all
            </button>
          </p>
        )}
      </nav>
    </SidebarFrame>
  );
}

function TagItem({ tag, found }: { readonly tag: Tag; readonly found: readonly Operation[] }) {
  const { operation, tag: chosen, q } = route.useSearch();
  const current = tag.operations.find(({ id }) => id === operation);
  const expanded = Boolean(q) || current !== undefined || (!operation && chosen === tag.name);
  if (found.length === 0) return null;
  return (
    <li>
      <Link
        from="/docs"
        to="/docs"
        search={({ q: _, operation: __, panel: ___, ...before }) => ({ ...before, tag: tag.name })}
        className="nav-item"
        activeProps={{}}
        aria-current={!operation && chosen === tag.name ? 'page' : undefined}
      >
        {tag.name}
        <span className="nav-count">{found.length}</span>
      </Link>
      {expanded && (
        <ul className="docs-nav">
          {found.map((each) => (
            <OperationItem key={each.id} operation={each} isCurrent={each === current} />
          ))}
        </ul>
      )}
    </li>
  );
}

function OperationItem({ operation, isCurrent }: { readonly operation: Operation; readonly isCurrent: boolean }) {
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isCurrent) item.current?.scrollIntoView({ block: 'nearest' });
  }, [isCurrent]);
  return (
    <li ref={item}>
      <Link
        from="/docs"
        to="/docs"
        search={({ tag: _, panel: __, ...before }) => ({ ...before, operation: operation.id })}
        className="docs-nav-item"
        title={`${operation.method} ${operation.path}`}
        activeProps={{}}
        aria-current={isCurrent ? 'page' : undefined}
      >
        <span className="docs-nav-name">{operation.summary}</span>
        <span className={operation.method === 'DELETE' ? 'docs-nav-method danger' : 'docs-nav-method'}>
          {operation.method === 'DELETE' ? 'DEL' : operation.method}
        </span>
      </Link>
    </li>
  );
}
