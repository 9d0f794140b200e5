/** Keys. Single ones are off while a field has the focus, while a dialog is open, and where a person switched them off. */
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

const STORED_AS = 'commonplace:single-keys';
const SEQUENCE_MS = 1_200;

/** Whether this machine says ⌘ where others say Ctrl. */
export const isApple = /Mac|iPhone|iPad/.test(navigator.platform);

export function singleKeysOn(): boolean {
  try {
    return localStorage.getItem(STORED_AS) !== 'off';
  } catch {
    return true;
  }
}

export function setSingleKeys(on: boolean): void {
  try {
    if (on) localStorage.removeItem(STORED_AS);
    else localStorage.setItem(STORED_AS, 'off');
  } catch {
    // Storage may be forbidden; they stay on.
  }
}

const isField = (element: EventTarget | null) =>
  element instanceof HTMLElement &&
  (element.isContentEditable || element.matches('input:not([type=checkbox],[type=radio]), textarea, select'));
/** A toast has the role of a dialog too, and is none that somebody is in. */
export const dialogIsOpen = () => document.querySelector(':is([role=dialog], [role=alertdialog]):not(.toast), [role=menu]') !== null;

/** Whoever opened it types there; a page that comes in late takes the focus from nobody. */
export const paletteHasFocus = () => Boolean(document.activeElement?.closest('.palette'));

/** `Mod` is Ctrl, or ⌘ on an Apple machine. */
function nameOf(event: KeyboardEvent): string {
  const key = event.key.length === 1 ? event.key.toUpperCase() : event.key;
  return event.ctrlKey || event.metaKey ? `Mod+${key}` : key;
}

/**
 * Keys of a page or a part of it, as long as it is shown: `{ '/': focusSearch, 'Mod+Enter': save, 'G O': goToOverview }`.
 * Letters are written large; two with a space between are pressed one after the other.
 */
export function useShortcuts(shortcuts: Readonly<Record<string, (event: KeyboardEvent) => void>>): void {
  const current = useRef(shortcuts);
  current.current = shortcuts;
  useEffect(() => {
    let before = '';
    let beforeMs = 0;
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey || event.isComposing) return;
      const name = nameOf(event);
      const single = !name.startsWith('Mod+');
      const typed = event.composedPath()[0] ?? event.target;
      if (single && (!singleKeysOn() || isField(typed) || dialogIsOpen())) return;
      const sequence = event.timeStamp - beforeMs < SEQUENCE_MS ? `${before} ${name}` : '';
      before = name;
      beforeMs = event.timeStamp;
      const run = current.current[sequence] ?? current.current[name];
      if (!run) return;
      event.preventDefault();
      run(event);
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}

/** `G`, then the letter of a page. */
export const goToKeys = [
  { key: 'O', page: 'Overview', to: '/w/$workspaceId' },
  { key: 'A', page: 'Agents', to: '/w/$workspaceId/agents' },
  { key: 'S', page: 'Sessions', to: '/w/$workspaceId/sessions' },
  { key: 'P', page: 'Prompts', to: '/w/$workspaceId/prompts' },
  { key: 'K', page: 'Knowledge', to: '/w/$workspaceId/knowledge' },
  { key: 'C', page: 'Context', to: '/w/$workspaceId/context' },
] as const;

export function useGoToShortcuts(workspaceId: string | undefined): void {
  const navigate = useNavigate();
  const entries = goToKeys.map(({ key, to }) => {
    const go = () => void (workspaceId && navigate({ to, params: { workspaceId } }));
    return [`G ${key}`, go] as const;
  });
  useShortcuts(Object.fromEntries(entries));
}
