import { useSyncExternalStore } from 'react';
import { IconButton } from './button.tsx';

export type Theme = 'system' | 'light' | 'dark';

/** The same key is read by public/theme.js before the first paint. */
const STORED_AS = 'commonplace:theme';
const listeners = new Set<() => void>();

function readTheme(): Theme {
  const chosen = document.documentElement.dataset.theme;
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system';
}

export function setTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    if (theme === 'system') localStorage.removeItem(STORED_AS);
    else localStorage.setItem(STORED_AS, theme);
  } catch {
    // Storage may be forbidden; the choice holds until the page is left.
  }
  for (const listener of listeners) listener();
}

export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, readTheme);
}

export function switchTheme(): void {
  const theme = readTheme();
  const dark = theme === 'system' ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark';
  setTheme(dark ? 'light' : 'dark');
}

export function ThemeButton() {
  return <IconButton icon="theme" label="Switch theme" onClick={switchTheme} />;
}
