import { Dialog } from '@base-ui/react/dialog';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { BrandMark } from '../design/brand.tsx';
import { IconButton } from '../design/button.tsx';
import { SHEET_BELOW, useMedia } from './use-media.ts';

interface SidebarFrameProps {
  /** What it holds: "Workspace". */
  readonly label: string;
  /** As a sheet, on small screens. */
  readonly open: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Beside the page; on a small screen a sheet over it, which keeps the focus until it is closed. */
export function SidebarFrame({ label, open, onClose, children }: SidebarFrameProps) {
  const isSheet = useMedia(SHEET_BELOW);
  const head = (close?: ReactNode) => (
    <div className="sidebar-head">
      <Link to="/" className="brand grow">
        <BrandMark />
        Commonplace
      </Link>
      {close}
    </div>
  );
  if (!isSheet)
    return (
      <aside className="sidebar" id="sidebar" aria-label={label}>
        {head()}
        {children}
      </aside>
    );
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="sidebar" id="sidebar" aria-label={label}>
          {head(<Dialog.Close render={<IconButton icon="x" label="Close navigation" />} />)}
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
