import { type ReactNode, useEffect, useRef } from 'react';
import { Icon } from '../../design/icon.tsx';

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly state: 'done' | 'current' | 'later';
  /** What came of it, once it is done. */
  readonly outcome?: ReactNode;
  readonly note?: string;
  readonly children?: ReactNode;
}

/** One of the steps: a line when it is done, open while it is the one to take. */
export function Step({ number, title, state, outcome, note, children }: StepProps) {
  const open = useRef<HTMLDivElement>(null);
  const began = useRef(state);
  // What was pressed is gone with the step before, so that the next one takes the focus.
  useEffect(() => {
    if (state === 'current' && began.current !== 'current') open.current?.querySelector<HTMLElement>('input, button')?.focus();
    began.current = state;
  }, [state]);
  return (
    <li className="step" data-done={state === 'done' || undefined} aria-current={state === 'current' ? 'step' : undefined}>
      <span className="step-mark" aria-hidden="true">
        {state === 'done' ? <Icon name="check" /> : number}
      </span>
      <div className="stack tight" ref={open}>
        <div className="step-head">
          <h2 className="section-title">
            {title}
            {state === 'done' && <span className="sr-only">, done</span>}
          </h2>
          {state === 'done' && outcome && (
            <span className="soft truncate" dir="auto">
              {outcome}
            </span>
          )}
          {note && state === 'done' && <span className="muted small push hide-phone">{note}</span>}
        </div>
        {children}
      </div>
    </li>
  );
}
