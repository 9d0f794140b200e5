import { APIError } from '@commonplace/client';
import { Link, useRouter } from '@tanstack/react-router';
import { ErrorNotice } from '../design/error-notice.tsx';
import { useWindowTitle } from '../design/page.tsx';

/** In the place of a page that could not be shown. */
export function PageFailure({ error }: { readonly error: unknown }) {
  const router = useRouter();
  const missing = error instanceof APIError && error.status === 404;
  const title = missing ? 'Not found' : 'This page could not be shown';
  useWindowTitle(title);
  return (
    <main id="main" className="page" tabIndex={-1}>
      <div className="page-head">
        <h1 className="page-title">{title}</h1>
      </div>
      <div className="stack">
        <ErrorNotice error={error} onRetry={missing ? undefined : () => void router.invalidate()} />
        <p>
          <Link to="/">Go to your workspace</Link>
        </p>
      </div>
    </main>
  );
}
