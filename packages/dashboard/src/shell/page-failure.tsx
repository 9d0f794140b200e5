import { APIError } from '@commonplace/client';
import { Link, useLocation, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { ErrorNotice } from '../design/error-notice.tsx';
import { Notice } from '../design/feedback.tsx';
import { useWindowTitle } from '../design/page.tsx';
import { forgetRecent } from './recent-pages.ts';

/** What browsers say of a chunk that can't be fetched: the service is away, or has newer files. */
function isFailedImport(error: unknown): boolean {
  return error instanceof Error && /dynamically imported module|Importing a module script|preload CSS/i.test(error.message);
}

interface PageFailureProps {
  readonly error: unknown;
  /** Where the page asked itself; else its loader asks again. */
  readonly onRetry?: () => void;
}

/** In the place of a page that could not be shown. */
export function PageFailure({ error, onRetry }: PageFailureProps) {
  const router = useRouter();
  const missing = error instanceof APIError && error.status === 404;
  const unloaded = isFailedImport(error);
  const title = missing ? 'Not found' : 'This page could not be shown';
  useWindowTitle(title);
  const { pathname } = useLocation();
  useEffect(() => {
    if (missing) forgetRecent(pathname);
  }, [missing, pathname]);
  return (
    <main id="main" className="page" tabIndex={-1}>
      <div className="page-head">
        <h1 className="page-title">{title}</h1>
      </div>
      <div className="stack">
        {unloaded ? (
          <Notice tone="danger" icon="alert">
            <strong>This page could not be loaded.</strong> Check that the service runs. If it was updated, a reload brings the new pages.{' '}
            <button type="button" className="link" onClick={() => window.location.reload()}>
              Reload the page
            </button>
          </Notice>
        ) : (
          <ErrorNotice error={error} onRetry={missing ? undefined : (onRetry ?? (() => void router.invalidate()))} />
        )}
        <p>
          <Link to="/">Go to your workspace</Link>
        </p>
      </div>
    </main>
  );
}
