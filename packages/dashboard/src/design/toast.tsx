import { Toast } from '@base-ui/react/toast';
import { IconButton } from './button.tsx';
import { Icon } from './icon.tsx';

interface Look {
  readonly danger?: boolean;
  readonly neutral?: boolean;
}

const manager = Toast.createToastManager<Look>();

interface ToastAction {
  readonly label: string;
  readonly onPress: () => void;
}

interface ToastOptions {
  readonly note?: string;
  readonly action?: ToastAction;
  readonly danger?: boolean;
  /** Tells what is so; nothing was done, and nothing broke. */
  readonly neutral?: boolean;
  readonly timeoutMs?: number;
  readonly onClose?: () => void;
}

/** Confirms what a person did: "v14 is in production". Errors that need an answer stay in their place instead. */
export function showToast(text: string, options: ToastOptions = {}): string {
  const { note, action, danger, neutral, timeoutMs = 5_000, onClose } = options;
  const id = manager.add({
    title: text,
    description: note,
    timeout: timeoutMs,
    priority: danger ? 'high' : 'low',
    data: { ...(danger && { danger }), ...(neutral && { neutral }) },
    ...(onClose && { onClose }),
    ...(action && {
      actionProps: {
        children: action.label,
        onClick: () => {
          action.onPress();
          manager.close(id);
        },
      },
    }),
  });
  return id;
}

export function closeToast(id: string): void {
  manager.close(id);
}

function ToastList() {
  const { toasts } = Toast.useToastManager<Look>();
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      className={`toast${toast.data?.danger ? ' danger' : ''}${toast.data?.neutral ? ' neutral' : ''}`}
    >
      <Icon name={toast.data?.danger ? 'alert' : toast.data?.neutral ? 'info' : 'check'} />
      <Toast.Content className="grow">
        <Toast.Title render={<div />} />
        <Toast.Description render={<div className="muted small" />} />
      </Toast.Content>
      {toast.actionProps && <Toast.Action className="btn small" />}
      <Toast.Close render={<IconButton icon="x" label="Close" small />} />
    </Toast.Root>
  ));
}

/** Where they appear; once in the app. */
export function Toasts() {
  return (
    <Toast.Provider toastManager={manager} limit={4}>
      <Toast.Portal>
        <Toast.Viewport className="toasts">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}
