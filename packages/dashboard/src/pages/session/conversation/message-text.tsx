import { useId } from 'react';
import { formatCount } from '../../../design/numbers.ts';
import { foldText } from './fold-text.ts';

interface MessageTextProps {
  readonly text: string;
  readonly unfolded: boolean;
  readonly onFold: (unfolded: boolean) => void;
}

/** What people and models wrote: text, never HTML. */
export function MessageText({ text, unfolded, onFold }: MessageTextProps) {
  const id = useId();
  const start = foldText(text);
  return (
    <div className="message-text">
      <p id={id} className="as-written" dir="auto">
        {unfolded || start === undefined ? text : `${start}…`}
      </p>
      {start !== undefined && (
        <button type="button" className="link small" aria-expanded={unfolded} aria-controls={id} onClick={() => onFold(!unfolded)}>
          {unfolded ? 'Show less' : `Show all ${formatCount(text.length)} characters`}
        </button>
      )}
    </div>
  );
}
