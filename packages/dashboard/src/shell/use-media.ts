import { useCallback, useSyncExternalStore } from 'react';

/** The same width as in small-screens.css. */
export const SHEET_BELOW = '(max-width: 1023.9px)';

export const BY_TOUCH = '(pointer: coarse)';

export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const media = matchMedia(query);
      media.addEventListener('change', listener);
      return () => media.removeEventListener('change', listener);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}
