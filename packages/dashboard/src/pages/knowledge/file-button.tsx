import { useRef } from 'react';
import { Button } from '../../design/button.tsx';

interface FileButtonProps {
  /** Of what it takes the place. */
  readonly name: string;
  readonly onFile: (file: File) => void;
}

/** Asks for one file to take the place of another. */
export function FileButton({ name, onFile }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button small icon="upload" aria-label={`Replace file: ${name}`} onClick={() => input.current?.click()}>
        Replace file
      </Button>
      <input
        ref={input}
        type="file"
        className="sr-only"
        aria-label={`New file for ${name}`}
        tabIndex={-1}
        accept=".md,.txt"
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file) onFile(file);
          target.value = '';
        }}
      />
    </>
  );
}
