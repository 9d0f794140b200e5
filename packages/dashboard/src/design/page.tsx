import { type ReactNode, useEffect } from 'react';
import { IconButton } from './button.tsx';
import { formatCount } from './numbers.ts';

interface PageProps {
  /** In the title of the window. */
  readonly title: string;
  readonly lede?: ReactNode;
  readonly actions?: ReactNode;
  /** One column of cards, for settings. */
  readonly narrow?: boolean;
  readonly children: ReactNode;
}

/** Sets the window's title while it is shown. */
export function useWindowTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Commonplace`;
  }, [title]);
}

/** A page with its head. There is one `h1`, and it is this. */
export function Page({ title, lede, actions, narrow, children }: PageProps) {
  useWindowTitle(title);
  return (
    <main id="main" className={narrow ? 'page narrow-page' : 'page'} tabIndex={-1}>
      <div className="page-head">
        <div className="grow">
          <h1 className="page-title">{title}</h1>
          {lede && <p className="page-lede">{lede}</p>}
        </div>
        {actions && <div className="row actions">{actions}</div>}
      </div>
      {children}
    </main>
  );
}

interface CardProps {
  readonly title?: string;
  readonly lede?: ReactNode;
  /** At the right of the title. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
  /** Without inner space, for a table or a list. */
  readonly flush?: boolean;
}

export function Card({ title, lede, aside, children, flush }: CardProps) {
  return (
    <section className="card" aria-label={title}>
      {title && (
        <div className="card-head">
          <h2 className="section-title">{title}</h2>
          {aside && <div className="push row">{aside}</div>}
          {lede && <p className="card-lede soft">{lede}</p>}
        </div>
      )}
      {flush ? children : <div className="card-body">{children}</div>}
    </section>
  );
}

interface TableProps {
  readonly label: string;
  /** The names of the columns; an empty one is for a menu. */
  readonly columns: readonly (string | { readonly name: string; readonly end?: boolean; readonly className?: string })[];
  /** Rows of `td`. On a phone each row is a list item with its first cell on top. */
  readonly children: ReactNode;
}

export function Table({ label, columns, children }: TableProps) {
  return (
    <div className="table-wrap">
      <table className="table cards" aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => {
              const { name, end, className } = typeof column === 'string' ? { name: column, end: false, className: undefined } : column;
              return (
                <th key={name} scope="col" className={[end && 'end', className].filter(Boolean).join(' ') || undefined}>
                  {name || <span className="sr-only">Actions</span>}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

interface PagerProps {
  readonly offset: number;
  readonly limit: number;
  readonly total: number;
  readonly onMove: (offset: number) => void;
}

/** Of a list with numbered rows; nothing where all of them are on one page. */
export function Pager({ offset, limit, total, onMove }: PagerProps) {
  if (total <= limit && offset === 0) return null;
  const last = Math.min(offset + limit, total);
  return (
    <nav className="card-foot" aria-label="Pages">
      <span className="num" role="status">
        {total === 0 ? 'None' : `${formatCount(offset + 1)} to ${formatCount(last)} of ${formatCount(total)}`}
      </span>
      <span className="push row">
        <IconButton icon="left" label="Previous page" small disabled={offset === 0} onClick={() => onMove(Math.max(0, offset - limit))} />
        <IconButton icon="right" label="Next page" small disabled={last >= total} onClick={() => onMove(offset + limit)} />
      </span>
    </nav>
  );
}
