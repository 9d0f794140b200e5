import { Menu as BaseMenu } from '@base-ui/react/menu';
import { type ReactElement, type ReactNode, useRef } from 'react';
import { Icon, type IconName } from './icon.tsx';

interface MenuProps {
  /** A button; it gets what makes it open the menu. */
  readonly trigger: ReactElement<Record<string, unknown>>;
  readonly children: ReactNode;
  readonly align?: 'start' | 'center' | 'end';
}

export function Menu({ trigger, children, align = 'end' }: MenuProps) {
  return (
    <BaseMenu.Root modal={false}>
      <BaseMenu.Trigger render={trigger} />
      <BaseMenu.Portal>
        <BaseMenu.Positioner className="menu-layer" align={align} sideOffset={4}>
          <BaseMenu.Popup className="menu">{children}</BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  );
}

interface AnchoredMenuProps {
  /** What it was opened from, and what gets the focus back; closed without. */
  readonly anchor: HTMLElement | undefined;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** One menu for many rows, where a menu for each would cost too much. */
export function AnchoredMenu({ anchor, onClose, children }: AnchoredMenuProps) {
  const opener = useRef(anchor);
  if (anchor) opener.current = anchor;
  return (
    <BaseMenu.Root modal={false} open={anchor !== undefined} onOpenChange={(open) => !open && onClose()}>
      <BaseMenu.Portal>
        <BaseMenu.Positioner className="menu-layer" anchor={anchor ?? null} align="end" sideOffset={4}>
          <BaseMenu.Popup className="menu" finalFocus={() => opener.current ?? null}>
            {children}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  );
}

interface MenuItemProps {
  readonly icon?: IconName;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  readonly onSelect: () => void;
  readonly children: ReactNode;
}

export function MenuItem({ icon, danger, disabled, onSelect, children }: MenuItemProps) {
  return (
    <BaseMenu.Item className={danger ? 'menu-item danger' : 'menu-item'} disabled={disabled ?? false} onClick={onSelect}>
      {icon && <Icon name={icon} />}
      {children}
    </BaseMenu.Item>
  );
}

/** An item that goes somewhere. Give it a router link. */
export function MenuLink({
  icon,
  render,
  children,
}: {
  readonly icon?: IconName;
  readonly render: ReactElement<Record<string, unknown>>;
  readonly children: ReactNode;
}) {
  return (
    <BaseMenu.LinkItem className="menu-item" render={render} closeOnClick>
      {icon && <Icon name={icon} />}
      {children}
    </BaseMenu.LinkItem>
  );
}

export function MenuSeparator() {
  return <BaseMenu.Separator className="menu-separator" />;
}
