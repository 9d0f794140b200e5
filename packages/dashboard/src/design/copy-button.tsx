import { useEffect, useState } from 'react';
import { Button, IconButton } from './button.tsx';
import { showToast } from './toast.tsx';

const SHOWN_MS = 1_600;

interface CopyButtonProps {
  readonly text: string;
  /** "Copy" unless told; with `iconOnly` it is read aloud. */
  readonly label?: string;
  readonly iconOnly?: boolean;
  readonly className?: string;
}

/** Copies plain text, and says that it did. */
export function CopyButton({ text, label = 'Copy', iconOnly, className }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      // Browsers refuse where a page is not served by https or from this machine.
      showToast('Your browser did not allow copying', { note: 'Select the text and copy it by hand.', danger: true });
    }
  };
  const press = () => void copy();
  if (iconOnly)
    return (
      <IconButton
        icon={copied ? 'check' : 'copy'}
        label={copied ? 'Copied' : label}
        small
        onClick={press}
        {...(className && { className })}
      />
    );
  return (
    <Button small variant="ghost" icon={copied ? 'check' : 'copy'} onClick={press} {...(className && { className })}>
      {copied ? 'Copied' : label}
    </Button>
  );
}
