/** Menus. What they need to open is loaded when somebody points at one: most visits open none. */
import {
  cloneElement,
  type KeyboardEvent,
  lazy,
  type MouseEvent,
  type ReactElement,
  type ReactNode,
  Suspense,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import type { MenuPopupProps } from './menu-popup.tsx';
import { showToast } from './toast.tsx';

const loadPopup = () => import('./menu-popup.tsx');
/** What fails here is told when the menu is to open. */
const preloadPopup = () => void loadPopup().catch(() => undefined);
const MenuPopup = lazy(() => loadPopup().then((parts) => ({ default: parts.MenuPopup })));
export const MenuItem = lazy(() => loadPopup().then((parts) => ({ default: parts.MenuItem })));
export const MenuLink = lazy(() => loadPopup().then((parts) => ({ default: parts.MenuLink })));
export const MenuSeparator = lazy(() => loadPopup().then((parts) => ({ default: parts.MenuSeparator })));

interface MenuProps {
  /** A button; it gets what makes it open the menu. */
  readonly trigger: ReactElement<Record<string, unknown>>;
  readonly children: ReactNode;
  readonly align?: 'start' | 'center' | 'end';
}

interface Opening {
  readonly anchor: HTMLElement;
  readonly byKeyboard: boolean;
}

export function Menu({ trigger, children, align = 'end' }: MenuProps) {
  const [opening, setOpening] = useState<Opening>();
  const id = useId();
  const button = cloneElement(trigger, {
    id,
    'aria-haspopup': 'menu',
    'aria-expanded': opening !== undefined,
    onPointerEnter: preloadPopup,
    onFocus: preloadPopup,
    onClick: ({ currentTarget, detail }: MouseEvent<HTMLElement>) => {
      setOpening(opening ? undefined : { anchor: currentTarget, byKeyboard: detail === 0 });
    },
    onKeyDown: (event: KeyboardEvent<HTMLElement>) => {
      if (event.key !== 'ArrowDown') return;
      event.preventDefault();
      setOpening({ anchor: event.currentTarget, byKeyboard: true });
    },
  });
  return (
    <>
      {button}
      <AnchoredMenu anchor={opening?.anchor} byKeyboard={opening?.byKeyboard ?? false} align={align} onClose={() => setOpening(undefined)}>
        {children}
      </AnchoredMenu>
    </>
  );
}

/** One menu for many rows, where a menu for each would cost too much. */
export function AnchoredMenu(props: MenuPopupProps) {
  const { anchor, onClose } = props;
  const [isLoaded, setLoaded] = useState(false);
  const isWaiting = anchor !== undefined && !isLoaded;
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    if (!isWaiting) return;
    loadPopup().then(
      () => setLoaded(true),
      () => {
        close.current();
        showToast('The menu could not be loaded', { note: 'Check that the service runs and that you are online.', danger: true });
      },
    );
  }, [isWaiting]);
  return <Suspense>{isLoaded && <MenuPopup {...props} />}</Suspense>;
}
