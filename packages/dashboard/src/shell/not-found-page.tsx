import { Link } from '@tanstack/react-router';
import { buttonClass } from '../design/button.tsx';
import { Empty } from '../design/feedback.tsx';
import { useWindowTitle } from '../design/page.tsx';

export function NotFoundPage() {
  useWindowTitle('Not found');
  return (
    <main id="main" className="page" tabIndex={-1}>
      <h1 className="sr-only">Not found</h1>
      <Empty
        icon="search"
        title="There is no page here"
        action={
          <Link to="/" className={buttonClass({ variant: 'primary' })}>
            Go to your workspace
          </Link>
        }
      >
        The address may be mistyped, or what it showed was deleted.
      </Empty>
    </main>
  );
}
