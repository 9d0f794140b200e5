import { type CSSProperties, useEffect, useId, useState } from 'react';
import { Button } from '../../../design/button.tsx';
import { nameMoment } from '../conversation/days.ts';
import { useSessionView } from '../session-view.ts';
import { fromLocalTime, toLocalTime } from './local-time.ts';

const STEPS = 500;
/** While the slider moves, the question waits for it. */
const SETTLE_MS = 120;

/** What was held true at a moment between the first message and now. */
export function AsOf() {
  const { pages, session, search, filter } = useSessionView();
  const id = useId();
  const [nowMs] = useState(Date.now);
  const firstMs = Date.parse(pages.at(0)?.createdAt ?? session.createdAt);
  const span = Math.max(nowMs - firstMs, 1);
  const stepOf = (time: string | undefined) =>
    time === undefined ? STEPS : Math.min(STEPS, Math.max(0, Math.round(((Date.parse(time) - firstMs) / span) * STEPS)));
  const [step, setStep] = useState(() => stepOf(search.asOf));
  const [moving, setMoving] = useState(false);
  const timeOf = (at: number) => new Date(firstMs + (at / STEPS) * span).toISOString();
  const choose = (time: string | undefined) => {
    const { asOf: _, ...rest } = search;
    filter({ ...rest, ...(time && { asOf: time }) });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: another step is another question, and nothing else is
  useEffect(() => {
    if (!moving) return;
    const timer = setTimeout(() => {
      setMoving(false);
      choose(step === STEPS ? undefined : timeOf(step));
    }, SETTLE_MS);
    return () => clearTimeout(timer);
  }, [step, moving]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address leads where nobody moves the slider
  useEffect(() => {
    if (!moving) setStep(stepOf(search.asOf));
  }, [search.asOf, firstMs]);
  const shown = moving ? (step === STEPS ? undefined : timeOf(step)) : search.asOf;
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
            min={toLocalTime(firstMs)}
            value={toLocalTime(shown)}
            onChange={({ target }) => choose(target.value ? fromLocalTime(target.value) : undefined)}
          />
          <Button small variant="ghost" onClick={() => choose(undefined)}>
            Now
          </Button>
        </>
      )}
      <input
        id={`${id}-slider`}
        className="slider"
        type="range"
        min={0}
        max={STEPS}
        disabled={!pages.isLoaded}
        value={step}
        style={{ '--at': `${(step / STEPS) * 100}%` } as CSSProperties}
        aria-valuetext={shown === undefined ? 'now' : nameMoment(shown)}
        onChange={(event) => {
          setStep(Number(event.target.value));
          setMoving(true);
        }}
      />
    </div>
  );
}
