import { useId } from 'react';
import { formatCount } from '../../../design/numbers.ts';

/** A text longer than this is folded: a conversation should be read, and not scrolled past. */
const LONGEST_UNFOLDED = 3_000;
const MOST_LINES = 40;
const SHOWN_WHEN_FOLDED = 1_200;
const LINES_WHEN_FOLDED = 16;

/** The beginning of a long text; undefined where it is shown whole. Ends between characters, never inside one. */
export function foldText(text: string): string | undefined {
  const lines = text.split('\n', MOST_LINES + 1);
  if (text.length <= LONGEST_UNFOLDED && lines.length <= MOST_LINES) return undefined;
  const start = lines.slice(0, LINES_WHEN_FOLDED).join('\n').slice(0, SHOWN_WHEN_FOLDED);
  return start.toWellFormed().replace(/\uFFFD$/, '');
}

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
