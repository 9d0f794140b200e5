import { Button } from './button.tsx';
import { plural } from './numbers.ts';

interface CursorPagerProps {
  readonly total: number;
  /** What is counted: "entry", "entries". */
  readonly noun: readonly [one: string, many: string];
  /** Whether this is a page after the first. */
  readonly later: boolean;
  /** Names the next page; undefined on the last. */
  readonly nextCursor: string | undefined;
  readonly onMove: (cursor: string | undefined) => void;
}

/** Of a list that grows while it is read: forward by cursor, and back to the start. Back goes a page back. */
export function CursorPager({ total, noun, later, nextCursor, onMove }: CursorPagerProps) {
  return (
    <nav className="card-foot" aria-label="Pages">
      <span className="num" role="status">
        {plural(total, ...noun)}
      </span>
      {(later || nextCursor) && (
        <span className="push row">
          <Button small variant="ghost" disabled={!later} onClick={() => onMove(undefined)}>
            Newest
          </Button>
          <Button small disabled={!nextCursor} onClick={() => onMove(nextCursor)}>
            Older
          </Button>
        </span>
      )}
    </nav>
  );
}
