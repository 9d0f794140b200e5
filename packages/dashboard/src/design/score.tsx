import type { Explanation } from '@commonplace/client';
import type { CSSProperties } from 'react';

/** How the parts of a score are named and drawn; what speaks against a hit is told, and not drawn. */
const parts = [
  { label: 'words', look: 'p-words', of: ({ lexical }: Explanation) => lexical },
  { label: 'meaning', look: 'p-meaning', of: ({ vector, tokens }: Explanation) => vector + tokens },
  { label: 'neighbours', look: 'p-near', of: ({ neighbours }: Explanation) => neighbours },
  { label: 'signals', look: 'p-signals', of: ({ signals }: Explanation) => Object.values(signals).reduce((sum, value) => sum + value, 0) },
] as const;
/** The others belong to few hits. */
const shownAlways = 2;
/** What is less is 0.00. */
const leastShown = 0.005;

const share = (value: number) => ({ '--v': Math.max(0, value) }) as CSSProperties;

/** The score of a hit, and what it is made of where the API explained it. */
export function Score({ score, explain }: { readonly score: number; readonly explain?: Explanation | undefined }) {
  const shown =
    explain &&
    parts.map((part) => ({ ...part, value: part.of(explain) })).filter(({ value }, i) => i < shownAlways || Math.abs(value) >= leastShown);
  const drawn = shown?.reduce((sum, { value }) => sum + Math.max(0, value), 0) || 1;
  return (
    <div className="score">
      <span className="score-value">{score.toFixed(2)}</span>
      <span className="score-bar" aria-hidden="true">
        {shown ? (
          shown.map(({ label, look, value }) => <i key={label} className={look} style={share((value / drawn) * score)} />)
        ) : (
          <i className="p-words" style={share(score)} />
        )}
      </span>
      {explain && (
        <span className="score-parts">
          {shown?.map(({ label, look, value }) => (
            <span key={label} title={label === 'signals' ? Object.keys(explain.signals).join(', ') : undefined}>
              <i className={`swatch ${look}`} aria-hidden="true" />
              {label} {value.toFixed(2)}
            </span>
          ))}
        </span>
      )}
    </div>
  );
}
