import { Dialog } from '../../design/dialog.tsx';

/** Takes you anywhere, and does what pages do. */
export function Palette({ onClose }: { readonly workspaceId: string | undefined; readonly onClose: () => void }) {
  return (
    <Dialog open onClose={onClose} title="Command palette">
      Not there yet.
    </Dialog>
  );
}
