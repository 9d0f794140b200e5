import { APIError } from '@commonplace/client';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorNotice } from './error-notice.tsx';

interface FormDialogProps {
  readonly onClose: () => void;
  readonly title: string;
  readonly lede?: ReactNode;
  /** Verb and object: "Create agent". */
  readonly action: string;
  /** What it says meanwhile: "Creating". */
  readonly busyLabel: string;
  /** A mutation: what is sent, and how it went. */
  readonly sending: { readonly mutate: () => void; readonly isPending: boolean; readonly error: unknown };
  /** Fields that show what is wrong with them themselves, by their names in the API. */
  readonly fields: readonly string[];
  readonly disabled?: boolean;
  readonly children: ReactNode;
}

/** Asks for what one request needs. What is refused stands at its field, else below. */
export function FormDialog({ onClose, title, lede, action, busyLabel, sending, fields, disabled, children }: FormDialogProps) {
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      lede={lede}
      onSubmit={() => !disabled && sending.mutate()}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={sending.isPending && busyLabel} disabled={disabled ?? false}>
            {action}
          </Button>
        </>
      }
    >
      {children}
      {Boolean(sending.error) && !isShownAtFields(sending.error, fields) && <ErrorNotice error={sending.error} />}
    </Dialog>
  );
}

function isShownAtFields(error: unknown, fields: readonly string[]): boolean {
  return error instanceof APIError && error.details.length > 0 && error.details.every(({ path }) => fields.includes(path));
}
