import { Toast } from '@base-ui/react/toast';
import { IconButton } from './button.tsx';
import { Icon } from './icon.tsx';

const manager = Toast.createToastManager<{ readonly danger?: boolean }>();

interface ToastAction {
  readonly label: string;
  readonly onPress: () => void;
}

interface ToastOptions {
  readonly note?: string;
  readonly action?: ToastAction;
  readonly danger?: boolean;
  readonly timeoutMs?: number;
  readonly onClose?: () => void;
}

/** Confirms what a person did: "v14 is in production". Errors that need an answer stay in their place instead. */
export function showToast(text: string, { note, action, danger, timeoutMs = 5_000, onClose }: ToastOptions = {}): string {
  const id = manager.add({
    title: text,
    description: note,
    timeout: timeoutMs,
    priority: danger ? 'high' : 'low',
    data: danger ? { danger } : {},
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
  const { toasts } = Toast.useToastManager<{ readonly danger?: boolean }>();
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className={toast.data?.danger ? 'toast danger' : 'toast'}>
      <Icon name={toast.data?.danger ? 'alert' : 'check'} />
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
