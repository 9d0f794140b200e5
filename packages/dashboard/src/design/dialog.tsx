import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { Button, IconButton } from './button.tsx';
import { ErrorNotice } from './error-notice.tsx';
import { TextField } from './field.tsx';
import { Form } from './form.tsx';

interface DialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** One sentence under the title. */
  readonly lede?: ReactNode;
  readonly wide?: boolean;
  /** Whether a press beside it or Escape closes it: not where something is shown once. */
  readonly dismissible?: boolean;
  readonly children: ReactNode;
  /** Buttons, the one that does it last. */
  readonly foot?: ReactNode;
  /** Makes it a form; Ctrl Enter sends it too. */
  readonly onSubmit?: () => void;
}

const FIRST_IN_BODY = '.dialog-body :is(input:not([type=hidden], :disabled), select, textarea, .secret .btn)';

/** As a press of its button: nothing happens while that is busy, or while the keys are held down. */
function submitByKeys(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  const button = event.currentTarget.querySelector<HTMLButtonElement>('[type=submit]:not(:disabled)');
  if (button && !event.repeat) event.currentTarget.requestSubmit(button);
}

/** For one decision. The first field has the focus. */
export function Dialog({ open, onClose, title, lede, wide, dismissible = true, children, foot, onSubmit }: DialogProps) {
  const popup = useRef<HTMLDivElement>(null);
  const content = (
    <>
      <div className="dialog-head">
        <div className="grow">
          <BaseDialog.Title className="dialog-title">{title}</BaseDialog.Title>
          {lede && <BaseDialog.Description className="soft">{lede}</BaseDialog.Description>}
        </div>
        {dismissible && <BaseDialog.Close render={<IconButton icon="x" label="Close" small />} />}
      </div>
      <div className="dialog-body">{children}</div>
      {foot && <div className="dialog-foot">{foot}</div>}
    </>
  );
  return (
    <BaseDialog.Root
      open={open}
      onOpenChange={(next, details) => {
        if (next) return;
        if (!dismissible && (details.reason === 'outside-press' || details.reason === 'escape-key')) return;
        onClose();
      }}
    >
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="backdrop" />
        <BaseDialog.Viewport className="dialog-layer">
          <BaseDialog.Popup
            ref={popup}
            className={wide ? 'dialog wide' : 'dialog'}
            // A field would bring the keyboard of a phone up over what it is about.
            initialFocus={(by) => (by === 'touch' ? popup.current : popup.current?.querySelector<HTMLElement>(FIRST_IN_BODY)) ?? true}
          >
            {onSubmit ? (
              <Form onSubmit={onSubmit} onKeyDown={submitByKeys}>
                {content}
              </Form>
            ) : (
              content
            )}
          </BaseDialog.Popup>
        </BaseDialog.Viewport>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

interface ConfirmProps {
  readonly open: boolean;
  readonly onClose: () => void;
  /** A question with its number: "Delete 3 documents?" */
  readonly title: string;
  /** What happens to others, and whether it can be undone. */
  readonly children: ReactNode;
  /** Verb and object. */
  readonly action: string;
  /** What it says meanwhile: "Deleting". */
  readonly busyLabel: string;
  /** Where set, it must be typed first. */
  readonly typedName?: string;
  readonly danger?: boolean;
  /** Closes the dialog when it is done; what it throws is shown in it. */
  readonly onConfirm: () => Promise<unknown>;
}

export function ConfirmDialog({ open, onClose, title, children, action, busyLabel, typedName, danger = true, onConfirm }: ConfirmProps) {
  const [typed, setTyped] = useState('');
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const close = () => {
    setTyped('');
    setFailure(undefined);
    onClose();
  };
  const confirm = async () => {
    setBusy(true);
    setFailure(undefined);
    try {
      await onConfirm();
      close();
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <AlertDialog.Root open={open} onOpenChange={(next) => !next && !busy && close()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="backdrop" />
        <AlertDialog.Viewport className="dialog-layer">
          <AlertDialog.Popup className="dialog">
            <Form
              onSubmit={() => {
                void confirm();
              }}
            >
              <div className="dialog-head">
                <AlertDialog.Title className="dialog-title">{title}</AlertDialog.Title>
              </div>
              <div className="dialog-body">
                <AlertDialog.Description render={<div className="soft" />}>{children}</AlertDialog.Description>
                {typedName !== undefined && (
                  <TextField
                    label={`Type “${typedName}” to confirm`}
                    value={typed}
                    onChange={(event) => setTyped(event.target.value)}
                    autoComplete="off"
                    spellCheck={false}
                  />
                )}
                {failure !== undefined && <ErrorNotice error={failure} />}
              </div>
              <div className="dialog-foot">
                <Button onClick={close} disabled={busy}>
                  Cancel
                </Button>
                <Button
                  type="submit"
                  variant={danger ? 'danger' : 'primary'}
                  busy={busy && busyLabel}
                  disabled={typedName !== undefined && typed !== typedName}
                >
                  {action}
                </Button>
              </div>
            </Form>
          </AlertDialog.Popup>
        </AlertDialog.Viewport>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
