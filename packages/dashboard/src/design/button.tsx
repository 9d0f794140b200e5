import type { ComponentProps } from 'react';
import { Icon, type IconName } from './icon.tsx';

export type ButtonVariant = 'primary' | 'danger' | 'ghost';

interface ButtonLook {
  readonly variant?: ButtonVariant | undefined;
  readonly small?: boolean;
  /** As wide as what it is in. */
  readonly block?: boolean;
  readonly iconOnly?: boolean;
}

/** For what looks like a button and is a link. */
export function buttonClass({ variant, small, block, iconOnly }: ButtonLook = {}): string {
  return ['btn', variant, small && 'small', block && 'block', iconOnly && 'icon-only'].filter(Boolean).join(' ');
}

interface ButtonProps extends ButtonLook, Omit<ComponentProps<'button'>, 'children'> {
  readonly icon?: IconName;
  /** Says what it is doing while it does it: "Saving". Nobody can press it meanwhile. */
  readonly busy?: string | false | undefined;
  readonly children: string;
}

export function Button({ variant, small, block, icon, busy, children, className, disabled, ...rest }: ButtonProps) {
  const look = buttonClass({ variant, ...(small && { small }), ...(block && { block }) });
  return (
    <button
      type="button"
      {...rest}
      className={className ? `${look} ${className}` : look}
      disabled={disabled || Boolean(busy)}
      aria-busy={busy ? true : undefined}
    >
      {busy ? <span className="spinner" aria-hidden="true" /> : icon && <Icon name={icon} />}
      <span>{busy || children}</span>
    </button>
  );
}

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  readonly icon: IconName;
  /** What it does: read aloud, and shown when pointed at. */
  readonly label: string;
  readonly variant?: ButtonVariant;
  readonly small?: boolean;
}

export function IconButton({ icon, label, variant = 'ghost', small, className, ...rest }: IconButtonProps) {
  const look = buttonClass({ variant, iconOnly: true, ...(small && { small }) });
  return (
    <button type="button" {...rest} className={className ? `${look} ${className}` : look} aria-label={label} title={label}>
      <Icon name={icon} />
    </button>
  );
}
