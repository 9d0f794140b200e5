import { Dialog } from '@base-ui/react/dialog';
import { useRouter } from '@tanstack/react-router';
import { type KeyboardEvent, useRef, useState } from 'react';
import { Icon } from '../../design/icon.tsx';
import { plural } from '../../design/numbers.ts';
import { switchTheme } from '../../design/theme.tsx';
import { signOut } from '../sign-out.ts';
import { optionId, type PaletteAction } from './commands.ts';
import { takeTyping } from './early-typing.ts';
import { PaletteList } from './palette-list.tsx';
import { usePaletteGroups } from './use-palette-groups.ts';
import './palette.css';

export type PaletteOverlay = 'shortcuts' | 'new-workspace';

interface PaletteProps {
  readonly workspaceId: string | undefined;
  readonly onClose: () => void;
  /** Something that stands in the place of the palette. */
  readonly onOpen: (overlay: PaletteOverlay) => void;
}

const LONGEST_QUERY = 1_000;
const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** Takes you anywhere, and does what pages do. */
export function Palette({ workspaceId, onClose, onOpen }: PaletteProps) {
  const input = useRef<HTMLInputElement>(null);
  // A page that is gone to takes the focus itself.
  const leaves = useRef(false);
  const [query, setQuery] = useState('');
  const [chosenId, setChosenId] = useState('');
  const { groups, isSearching } = usePaletteGroups(workspaceId, query);
  const items = groups.flatMap((group) => group.items);
  const active = items.find(({ id }) => id === chosenId) ?? items[0];
  const run = useRun({ onClose, onOpen, onLeave: () => (leaves.current = true) });

  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const step = steps[event.key];
    const everything = items.find(({ id }) => id === 'search');
    if (step) {
      event.preventDefault();
      const at = active ? items.indexOf(active) : 0;
      setChosenId(items[(at + step + items.length) % items.length]?.id ?? '');
    } else if (event.key === 'Enter') {
      event.preventDefault();
      if (active) run(active.action);
    } else if (event.key === 'Tab' && !event.shiftKey && everything) {
      event.preventDefault();
      run(everything.action);
    }
  };
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Viewport className="dialog-layer high">
          <Dialog.Popup className="dialog palette" aria-label="Command palette" initialFocus={input} finalFocus={() => !leaves.current}>
            <div className="palette-input">
              <Icon name="search" />
              <input
                ref={input}
                type="text"
                role="combobox"
                aria-expanded="true"
                aria-autocomplete="list"
                aria-controls="palette-list"
                aria-activedescendant={active ? optionId(active) : undefined}
                aria-label="Search or run a command"
                placeholder={workspaceId ? 'Search everything, or type a command' : 'Type a command'}
                autoComplete="off"
                spellCheck={false}
                enterKeyHint="go"
                maxLength={LONGEST_QUERY}
                value={query}
                onFocus={() => {
                  const early = takeTyping();
                  if (early) setQuery((now) => early + now);
                }}
                onChange={(event) => {
                  setQuery(event.target.value);
                  setChosenId('');
                }}
                onKeyDown={press}
              />
              {isSearching && <span className="spinner" aria-hidden="true" />}
              <kbd className="kbd">Esc</kbd>
            </div>
            <PaletteList groups={groups} activeId={active?.id} onPoint={setChosenId} onChoose={({ action }) => run(action)} />
            <div className="sr-only" role="status">
              {query && plural(items.length, 'result')}
            </div>
            <div className="palette-foot" aria-hidden="true">
              <span>
                <kbd className="kbd">↑</kbd>
                <kbd className="kbd">↓</kbd> move
              </span>
              <span>
                <kbd className="kbd">↵</kbd> open
              </span>
              {workspaceId && (
                <span>
                  <kbd className="kbd">Tab</kbd> search by meaning
                </span>
              )}
            </div>
          </Dialog.Popup>
        </Dialog.Viewport>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface RunOptions {
  readonly onClose: () => void;
  readonly onOpen: (overlay: PaletteOverlay) => void;
  readonly onLeave: () => void;
}

function useRun({ onClose, onOpen, onLeave }: RunOptions): (action: PaletteAction) => void {
  const router = useRouter();
  const go = (href: string) => {
    onLeave();
    onClose();
    router.history.push(href);
  };
  return (action) => {
    if ('href' in action) return go(action.href);
    if (action.run === 'shortcuts' || action.run === 'new-workspace') return onOpen(action.run);
    onClose();
    if (action.run === 'theme') switchTheme();
    else void signOut();
  };
}
