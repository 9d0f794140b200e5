import { showToast } from './toast.tsx';

/** Copies plain text from a menu, and says that it did. */
export async function copyText(text: string, done: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    showToast(done);
  } catch {
    // Browsers refuse where a page is not served by https or from this machine.
    showToast('Your browser did not allow copying', { note: 'Select the text and copy it by hand.', danger: true });
  }
}
