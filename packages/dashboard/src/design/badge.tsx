import type { Memory } from '@commonplace/client';
import type { ReactNode } from 'react';

export type Tone = 'ok' | 'warn' | 'danger' | 'accent' | 'outline';

export function Badge({ tone, dot, children }: { readonly tone?: Tone; readonly dot?: 'still' | 'live'; readonly children: ReactNode }) {
  return (
    <span className={tone ? `badge ${tone}` : 'badge'}>
      {dot && <span className={dot === 'live' ? 'dot live' : 'dot'} aria-hidden="true" />}
      {children}
    </span>
  );
}

export type MemoryKind = Memory['kind'];

export const memoryKinds: Readonly<Record<MemoryKind, string>> = {
  preference: 'Preference',
  fact: 'Fact',
  long_lived: 'Long-lived',
  short_lived: 'Short-lived',
  summary: 'Summary',
};

/** The same five hues everywhere. */
export function KindBadge({ kind }: { readonly kind: MemoryKind }) {
  return (
    <span className="badge" data-kind={kind}>
      {memoryKinds[kind]}
    </span>
  );
}

/** `key=value`, as it is filtered by. */
export function LabelChip({ name, value }: { readonly name: string; readonly value?: string }) {
  return <span className="label-chip">{value ? `${name}=${value}` : name}</span>;
}

const MOST_CHIPS = 8;

/** A session may have 32 labels, and a label 320 characters: the first few, each cut by its place. */
export function LabelChips({ labels }: { readonly labels: Readonly<Record<string, string>> }) {
  const entries = Object.entries(labels);
  if (entries.length === 0) return null;
  return (
    <span className="row wrap label-chips">
      {entries.slice(0, MOST_CHIPS).map(([name, value]) => (
        <LabelChip key={name} name={name} value={value} />
      ))}
      {entries.length > MOST_CHIPS && <span className="muted small">and {entries.length - MOST_CHIPS} more</span>}
    </span>
  );
}
