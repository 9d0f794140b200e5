/** The parts of a menu that are needed once it opens. Loaded by menu.tsx, and by nothing else. */
import { Menu as BaseMenu } from '@base-ui/react/menu';
import { type FocusEvent, type ReactElement, type ReactNode, useRef } from 'react';
import { Icon, type IconName } from './icon.tsx';

export interface MenuPopupProps {
  /** What it was opened from, and what gets the focus back; closed without. */
  readonly anchor: HTMLElement | undefined;
  readonly align?: 'start' | 'center' | 'end';
  /** Its first item gets the focus, as is usual for a menu that a key opened. */
  readonly byKeyboard?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export function MenuPopup({ anchor, align = 'end', byKeyboard = false, onClose, children }: MenuPopupProps) {
  const opener = useRef(anchor);
  if (anchor) opener.current = anchor;
  return (
    <BaseMenu.Root
      modal={false}
      open={anchor !== undefined}
      onOpenChange={(open, details) => !open && !isOwnButton(details, anchor) && onClose()}
    >
      <BaseMenu.Portal>
        <BaseMenu.Positioner className="menu-layer" anchor={anchor ?? null} align={align} sideOffset={4}>
          <BaseMenu.Popup
            className="menu"
            {...nameOf(opener.current)}
            finalFocus={() => opener.current ?? null}
            {...(byKeyboard && { onFocus: passFocusOn })}
          >
            {children}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  );
}

/** A press on the button is outside of the menu, and the click that follows is the button’s own. */
function isOwnButton({ reason, event }: BaseMenu.Root.ChangeEventDetails, anchor: HTMLElement | undefined): boolean {
  return reason === 'outside-press' && event.target instanceof Node && (anchor?.contains(event.target) ?? false);
}

/** The menu is called what its button is called. */
function nameOf(opener: HTMLElement | undefined) {
  if (opener?.id) return { 'aria-labelledby': opener.id };
  return opener?.ariaLabel ? { 'aria-label': opener.ariaLabel } : {};
}

function passFocusOn({ target, currentTarget }: FocusEvent<HTMLElement>): void {
  if (target === currentTarget) currentTarget.querySelector<HTMLElement>('[role=menuitem]')?.focus();
}

export interface MenuItemProps {
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

export interface MenuLinkProps {
  readonly icon?: IconName;
  readonly render: ReactElement<Record<string, unknown>>;
  readonly children: ReactNode;
}

/** An item that goes somewhere. Give it a router link. */
export function MenuLink({ icon, render, children }: MenuLinkProps) {
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
