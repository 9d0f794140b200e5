/** A sidebar that is a sheet on small screens: it takes the focus, and closes by Escape or a press beside it. */
import { type KeyboardEvent, type RefObject, useEffect } from 'react';

export function useSheet(sheet: RefObject<HTMLElement | null>, open: boolean, onClose: () => void): (event: KeyboardEvent) => void {
  useEffect(() => {
    if (!open) return;
    sheet.current?.querySelector('a')?.focus();
    const press = (event: PointerEvent) => {
      if (!sheet.current?.contains(event.target as Node)) onClose();
    };
    document.addEventListener('pointerdown', press);
    return () => document.removeEventListener('pointerdown', press);
  }, [sheet, open, onClose]);
  return (event) => {
    if (event.key === 'Escape') onClose();
  };
}
