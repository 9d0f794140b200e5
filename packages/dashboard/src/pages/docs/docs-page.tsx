import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import { buttonClass, IconButton } from '../../design/button.tsx';
import { Empty, Loaded } from '../../design/feedback.tsx';
import { ThemeButton } from '../../design/theme.tsx';
import { DocsSidebar } from './docs-sidebar.tsx';
import { type Reference, referenceQuery } from './document.ts';
import { HomeView } from './home-view.tsx';
import { OperationView } from './operation-view.tsx';
import { SchemasContext } from './schema-tree.tsx';
import { TagView } from './tag-view.tsx';
import { useTypedKeys } from './try/typed-keys.ts';
import { useOldAnchors } from './use-old-anchors.ts';
import './docs.css';
import './schema.css';

const route = getRouteApi('/docs');

/** The API reference. It needs no sign-in: what it shows is the same for everyone. */
export function DocsPage() {
  const query = useQuery(referenceQuery);
  const { operation, tag } = route.useSearch();
  const [navigationOpen, setNavigationOpen] = useState(false);
  const openNavigation = useCallback(() => setNavigationOpen(true), []);
  const closeNavigation = useCallback(() => setNavigationOpen(false), []);
  const main = useRef<HTMLElement>(null);
  const shown = useRef(`${operation} ${tag}`);
  useOldAnchors();
  // As a new page would: the sheet closes, and what is read begins at its heading.
  useEffect(() => {
    if (shown.current === `${operation} ${tag}`) return;
    shown.current = `${operation} ${tag}`;
    setNavigationOpen(false);
    main.current?.focus({ preventScroll: true });
  }, [operation, tag]);
  return (
    <div className="app docs">
      <DocsSidebar reference={query.data} open={navigationOpen} onOpen={openNavigation} onClose={closeNavigation} />
      <div className="body">
        <header className="topbar">
          <IconButton
            icon="menu"
            label="Open navigation"
            className="menu-button"
            aria-controls="sidebar"
            aria-expanded={navigationOpen}
            onClick={openNavigation}
          />
          <nav className="crumbs" aria-label="Breadcrumb">
            <ol>
              <li>
                <Link to="/docs">API reference</Link>
              </li>
            </ol>
          </nav>
          <ThemeButton />
          <Link to="/" className={buttonClass({ variant: 'ghost' })}>
            Open the dashboard
          </Link>
        </header>
        <main ref={main} id="main" className="page docs-page" tabIndex={-1}>
          <Loaded query={query} skeletonLines={8}>
            {(reference) => <View reference={reference} />}
          </Loaded>
        </main>
      </div>
    </div>
  );
}

function View({ reference }: { readonly reference: Reference }) {
  const { operation: id, tag: name } = route.useSearch();
  const typedKeys = useTypedKeys();
  const operation = reference.operations.find((each) => each.id === id);
  const tag = reference.tags.find((each) => each.name === name);
  if ((id && !operation) || (!id && name && !tag)) {
    const action = (
      <Link to="/docs" className={buttonClass()}>
        See all operations
      </Link>
    );
    return (
      <>
        <h1 className="sr-only">Not in this version</h1>
        <Empty icon="search" title={`There is no ${id ? 'operation' : 'group'} “${id ?? name}”`} action={action}>
          It may have another name in the version that this service runs.
        </Empty>
      </>
    );
  }
  return (
    <SchemasContext value={reference.schemas}>
      {operation ? (
        <OperationView key={operation.id} operation={operation} reference={reference} typedKeys={typedKeys} />
      ) : tag ? (
        <TagView tag={tag} />
      ) : (
        <HomeView reference={reference} />
      )}
    </SchemasContext>
  );
}
