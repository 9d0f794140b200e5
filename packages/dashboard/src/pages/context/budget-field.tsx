import { type CSSProperties, useEffect, useId, useRef, useState } from 'react';
import { formatCount } from '../../design/numbers.ts';
import { BUDGET_STEPS, budgetAt, clampBudget, LARGEST_BUDGET, SMALLEST_BUDGET, stepOf } from './request.ts';

const SETTLED_MS = 250;

interface BudgetFieldProps {
  readonly value: number;
  /** Told when it has stayed for a moment. */
  readonly onSettle: (value: number) => void;
}

/** A slider whose steps grow with the number, and a field for the exact one. */
export function BudgetField({ value, onSettle }: BudgetFieldProps) {
  const id = useId();
  const [tokens, setTokens] = useState(value);
  const [typed, setTyped] = useState<string>();
  const settle = useRef(onSettle);
  settle.current = onSettle;
  useEffect(() => setTokens(value), [value]);
  useEffect(() => {
    if (tokens === value) return;
    const timer = setTimeout(() => settle.current(tokens), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [tokens, value]);
  const step = stepOf(tokens);
  const type = (text: string) => {
    setTyped(text);
    const number = Number(text.replaceAll(/[,.\s]/g, ''));
    if (Number.isInteger(number) && number >= SMALLEST_BUDGET && number <= LARGEST_BUDGET) setTokens(number);
  };
  const leave = () => {
    if (typed !== undefined) setTokens(clampBudget(Number(typed.replaceAll(/[,.\s]/g, '')) || tokens));
    setTyped(undefined);
  };
  return (
    <div className="field">
      <div className="row">
        <label className="label" htmlFor={id}>
          Token budget
        </label>
        <input
          className="input auto push num budget-number"
          inputMode="numeric"
          aria-label="Token budget in numbers"
          value={typed ?? formatCount(tokens)}
          onChange={(event) => type(event.target.value)}
          onBlur={leave}
        />
      </div>
      <input
        className="slider"
        id={id}
        type="range"
        min={0}
        max={BUDGET_STEPS}
        value={step}
        aria-valuetext={`${formatCount(tokens)} tokens`}
        style={{ '--at': `${(step / BUDGET_STEPS) * 100}%` } as CSSProperties}
        onChange={(event) => setTokens(budgetAt(Number(event.target.value)))}
      />
      <div className="row muted small num" aria-hidden="true">
        <span>{formatCount(SMALLEST_BUDGET)}</span>
        <span className="push">{formatCount(LARGEST_BUDGET)}</span>
      </div>
    </div>
  );
}
