import { Badge } from '../../design/badge.tsx';
import { Select } from '../../design/field.tsx';
import { formatDay, Time } from '../../design/time.tsx';

const DAY_MS = 24 * 60 * 60 * 1000;
const SOON_MS = 7 * DAY_MS;

const lifetimes = { '30': 'In 30 days', '90': 'In 90 days', '365': 'In a year', never: 'Never' } as const;
export type Lifetime = keyof typeof lifetimes;

export function expiryOf(lifetime: Lifetime, nowMs: number): string | null {
  return lifetime === 'never' ? null : new Date(nowMs + Number(lifetime) * DAY_MS).toISOString();
}

interface LifetimeFieldProps {
  readonly value: Lifetime;
  readonly error?: string | undefined;
  readonly onChange: (lifetime: Lifetime) => void;
}

export function LifetimeField({ value, error, onChange }: LifetimeFieldProps) {
  const options = Object.entries(lifetimes).map(([choice, label]) => {
    const expiresAt = expiryOf(choice as Lifetime, Date.now());
    return { value: choice, label: expiresAt ? `${label}, ${formatDay(expiresAt)}` : label };
  });
  return (
    <Select label="Expires" options={options} value={value} error={error} onChange={(event) => onChange(event.target.value as Lifetime)} />
  );
}

/** When a key ends: never, some day, soon, or it has. */
export function Expiry({ at }: { readonly at: string | null }) {
  if (!at) return 'Never';
  const leftMs = Date.parse(at) - Date.now();
  if (leftMs <= 0) return <Badge tone="danger">Expired</Badge>;
  if (leftMs > SOON_MS) return formatDay(at);
  return (
    <Badge tone="warn">
      <Time at={at} />
    </Badge>
  );
}
