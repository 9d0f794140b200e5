import { type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import { SecretText } from './code.tsx';
import { Dialog } from './dialog.tsx';
import { Checkbox } from './field.tsx';

interface ShownOnceProps {
  readonly title: string;
  readonly secret: string;
  readonly onDone: () => void;
  /** What it is and how it is used. */
  readonly children: ReactNode;
}

/** A secret that nobody can show again: it closes only when told that it was stored. */
export function ShownOnceDialog({ title, secret, onDone, children }: ShownOnceProps) {
  const [stored, setStored] = useState(false);
  return (
    <Dialog
      open
      onClose={onDone}
      title={title}
      lede="Copy it now. It is shown this once, and nobody can show it again."
      dismissible={false}
      foot={
        <Button variant="primary" disabled={!stored} onClick={onDone}>
          Done
        </Button>
      }
    >
      <SecretText text={secret} />
      {children}
      <Checkbox label="I have stored it" checked={stored} onChange={(event) => setStored(event.target.checked)} />
    </Dialog>
  );
}
