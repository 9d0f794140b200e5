import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { BrandMark } from '../../design/brand.tsx';
import { useWindowTitle } from '../../design/page.tsx';
import { ThemeButton } from '../../design/theme.tsx';

/** What a commonplace book holds: invented people, as an example of what is kept. */
const leaf = [
  ['Preference', 'Wants deliveries before six in the morning', 'Holt & Daughters'],
  ['Fact', 'Closed on Mondays since October', 'Holt & Daughters'],
  ['Long-lived', 'Edda runs the gluten-free counter', 'Holt & Daughters'],
  ['Fact', 'Tests run on the Tuesday release branch', 'Foreman, storefront'],
  ['Preference', 'Small commits, one reason each', 'Foreman, storefront'],
] as const;

const blanks = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => from + at).map((line) => <li key={line} aria-hidden="true" />);

/** A form on the left, the identity on the right. */
export function SignFrame({ title, lede, children }: { readonly title: string; readonly lede: ReactNode; readonly children: ReactNode }) {
  useWindowTitle(title);
  return (
    <div className="sign">
      <div className="sign-form">
        <header className="row">
          <Link to="/" className="brand">
            <BrandMark />
            Commonplace
          </Link>
          <span className="push">
            <ThemeButton />
          </span>
        </header>
        <main id="main" className="sign-box" tabIndex={-1}>
          <h1>{title}</h1>
          <p className="sign-lede">{lede}</p>
          {children}
        </main>
        <footer className="row muted small">
          <Link to="/docs" className="muted">
            API reference
          </Link>
        </footer>
      </div>
      <aside className="leaf" aria-label="What a commonplace book holds">
        <ol>
          {blanks(0, 3)}
          {leaf.map(([kind, said, who]) => (
            <li key={said}>
              <span className="kind">{kind}</span>
              <span className="said">
                {said}
                <small>{who}</small>
              </span>
            </li>
          ))}
          {blanks(3, 5)}
        </ol>
      </aside>
    </div>
  );
}
