import type { ModelContext } from '@commonplace/client';
import type { CSSProperties } from 'react';
import { formatCount, plural } from '../../design/numbers.ts';
import { pieceTypes } from './parts.ts';

/** How much of the budget is used, and by what. */
export function BudgetCard({ context }: { readonly context: ModelContext }) {
  const shares = pieceTypes.map(({ type, many, look }) => ({
    name: many,
    look,
    tokens: context.pieces.filter((piece) => piece.type === type).reduce((sum, { tokens }) => sum + tokens, 0),
  }));
  const counted = shares.reduce((sum, { tokens }) => sum + tokens, 0);
  const around = { name: 'Around them', look: 's-around', tokens: Math.max(0, context.tokens - counted) };
  const all = [...shares, around];
  return (
    <section className="card" aria-label="Budget">
      <div className="card-body stack budget-body">
        <div className="row wrap" role="status">
          <span className="stat-value">{formatCount(context.tokens)}</span>
          <span className="muted">of {formatCount(context.tokenBudget)} tokens</span>
          <span className="push muted small">
            {plural(context.pieces.length, 'piece')} in, {formatCount(context.omitted.length)} left out
          </span>
        </div>
        <div className="stackbar" aria-hidden="true">
          {all.map(({ name, look, tokens }) => (
            <i key={name} className={look} style={{ '--v': tokens / context.tokenBudget } as CSSProperties} hidden={tokens === 0} />
          ))}
        </div>
        <div className="legend num">
          {all.map(({ name, look, tokens }) => (
            <span key={name} title={name === 'Around them' ? 'Tags, and what a model reads around each message' : undefined}>
              <i className={`swatch ${look}`} aria-hidden="true" />
              {name} <span className="muted">{formatCount(tokens)}</span>
            </span>
          ))}
        </div>
      </div>
    </section>
  );
}
