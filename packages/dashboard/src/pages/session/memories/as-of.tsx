import { useQuery } from '@tanstack/react-query';
import { type CSSProperties, useEffect, useId, useMemo, useState } from 'react';
import { Button } from '../../../design/button.tsx';
import { plural } from '../../../design/numbers.ts';
import { nameMoment } from '../conversation/days.ts';
import { memoriesQuery, momentsQuery } from '../session-queries.ts';
import { useSessionView } from '../session-view.ts';
import { stopAt, stopsOf } from './change-moments.ts';
import { fromLocalTime, toLocalTime } from './local-time.ts';

/** While the slider moves, the question waits for it. */
const SETTLE_MS = 120;

/** What was held true at a moment. The slider stops where that changed; the field takes any moment. */
export function AsOf() {
  const { place, pages, session, search, filter } = useSessionView();
  const id = useId();
  const now = useQuery(memoriesQuery(place, undefined));
  const moments = useQuery(momentsQuery(place, now.data));
  const startMs = Date.parse(pages.at(0)?.createdAt ?? session.createdAt);
  const stops = useMemo(() => stopsOf(moments.data ?? [], startMs), [moments.data, startMs]);
  const changes = stops.length - 1;
  // Where nothing ever changed, now is still at the end.
  const last = Math.max(1, changes);
  /** Until the address says the same. */
  const [moved, setMoved] = useState<{ readonly step: number; readonly time: string | undefined }>();
  const step = moved?.step ?? (search.asOf === undefined ? last : stopAt(stops, Date.parse(search.asOf)));
  const timeOf = (at: number) => (at === last ? undefined : new Date(stops[at] ?? startMs).toISOString());
  const choose = (time: string | undefined) => {
    const { asOf: _, ...rest } = search;
    filter({ ...rest, ...(time && { asOf: time }) });
  };
  const chooseExactly = (time: string | undefined) => {
    setMoved(undefined);
    choose(time);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: another step is another question, and nothing else is
  useEffect(() => {
    if (!moved) return;
    if (moved.time === search.asOf) {
      setMoved(undefined);
      return;
    }
    const timer = setTimeout(() => choose(moved.time), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [moved, search.asOf]);
  const shown = moved ? moved.time : search.asOf;
  return (
    <div className="as-of" data-past={shown !== undefined || undefined}>
      <label className="small muted nowrap" htmlFor={`${id}-slider`}>
        As of
      </label>
      {shown === undefined ? (
        <span className="small now">now</span>
      ) : (
        <>
          <input
            className="input auto moment"
            type="datetime-local"
            aria-label="As of, date and time"
            step={1}
            min={toLocalTime(startMs)}
            value={toLocalTime(shown)}
            onChange={({ target }) => chooseExactly(target.value ? fromLocalTime(target.value) : undefined)}
          />
          <Button small variant="ghost" onClick={() => chooseExactly(undefined)}>
            Now
          </Button>
        </>
      )}
      <input
        id={`${id}-slider`}
        className="slider"
        type="range"
        min={0}
        max={last}
        disabled={!pages.isLoaded || changes === 0}
        value={step}
        style={{ '--at': `${(step / last) * 100}%` } as CSSProperties}
        aria-valuetext={shown === undefined ? 'now' : `${nameMoment(shown)}, after ${step} of ${plural(changes, 'change')}`}
        onChange={({ target }) => setMoved({ step: Number(target.value), time: timeOf(Number(target.value)) })}
      />
    </div>
  );
}
