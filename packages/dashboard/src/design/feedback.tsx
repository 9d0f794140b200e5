import { type CSSProperties, type ReactNode, useEffect, useState } from 'react';
import { Button } from './button.tsx';
import { ErrorNotice } from './error-notice.tsx';
import { Icon, type IconName } from './icon.tsx';

interface EmptyProps {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ReactNode;
  /** One thing to do next. */
  readonly action?: ReactNode;
}

export function Empty({ icon, title, children, action }: EmptyProps) {
  return (
    <div className="empty">
      <Icon name={icon} />
      <div className="empty-title">{title}</div>
      {children && <p>{children}</p>}
      {action}
    </div>
  );
}

/** A list that became shorter than the page that is looked at: there is more, but not here. */
export function EmptyPage({ icon, onFirst }: { readonly icon: IconName; readonly onFirst: () => void }) {
  return <Empty icon={icon} title="Nothing on this page" action={<Button onClick={onFirst}>To the first page</Button>} />;
}

const SHOWN_AFTER_MS = 150;

/** True once it took long enough to be worth a word: what comes at once should not flash. */
export function useIsSlow(waiting: boolean): boolean {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    if (!waiting) return setSlow(false);
    const timer = setTimeout(() => setSlow(true), SHOWN_AFTER_MS);
    return () => clearTimeout(timer);
  }, [waiting]);
  return slow;
}

/** Lines in the shape of what comes. They keep its place from the start, and show after a moment. */
export function Skeleton({ lines = 3 }: { readonly lines?: number }) {
  const slow = useIsSlow(true);
  return (
    <div className="skeletons" role="status" aria-label="Loading" data-shown={slow || undefined}>
      {Array.from({ length: lines }, (_, at) => `line-${at}`).map((line) => (
        <span key={line} className="skeleton" />
      ))}
    </div>
  );
}

interface LoadedProps<Data> {
  readonly query: { readonly data: Data | undefined; readonly error: unknown; readonly refetch: () => unknown };
  readonly skeletonLines?: number;
  readonly children: (data: Data) => ReactNode;
}

/** What was asked for: the data, old where a refresh failed; else why there is none; else a skeleton. */
export function Loaded<Data>({ query, skeletonLines, children }: LoadedProps<Data>) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />;
  return <Skeleton {...(skeletonLines && { lines: skeletonLines })} />;
}

interface ProgressProps {
  readonly label: string;
  /** 0 to 1; without it, it says that something goes on. */
  readonly value?: number | undefined;
  readonly tone?: 'ok' | 'danger';
}

export function Progress({ label, value, tone }: ProgressProps) {
  const percent = value === undefined ? undefined : Math.round(Math.min(1, Math.max(0, value)) * 100);
  return (
    <span
      className={['progress', tone, percent === undefined && 'waiting'].filter(Boolean).join(' ')}
      style={percent === undefined ? undefined : ({ '--at': `${percent}%` } as CSSProperties)}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      {...(percent !== undefined && { 'aria-valuenow': percent })}
    >
      <i />
    </span>
  );
}

export function Notice({
  tone,
  icon = 'info',
  children,
}: {
  readonly tone?: 'warn' | 'ok' | 'danger';
  readonly icon?: IconName;
  readonly children: ReactNode;
}) {
  return (
    <div className={tone ? `notice ${tone}` : 'notice'}>
      <Icon name={icon} />
      <div className="grow">{children}</div>
    </div>
  );
}
