import type { Explanation } from '@commonplace/client';
import type { CSSProperties } from 'react';

const parts = [
  { key: 'lexical', label: 'words', look: 'p-words' },
  { key: 'vector', label: 'meaning', look: 'p-meaning' },
  { key: 'neighbours', label: 'neighbours', look: 'p-near' },
] as const;

const share = (value: number) => ({ '--v': value }) as CSSProperties;

/** The score of a hit, and what it is made of where the API explained it. Comparable within one answer alone. */
export function Score({ score, explain }: { readonly score: number; readonly explain?: Explanation | undefined }) {
  const sum = explain ? Math.max(explain.lexical + explain.vector + explain.neighbours, Number.EPSILON) : 1;
  return (
    <div className="score">
      <span className="score-value">{score.toFixed(2)}</span>
      <span className="score-bar" aria-hidden="true">
        {explain ? (
          parts.map(({ key, look }) => <i key={key} className={look} style={share((explain[key] / sum) * score)} />)
        ) : (
          <i className="p-words" style={share(score)} />
        )}
      </span>
      {explain && (
        <span className="score-parts">
          {parts
            .filter(({ key }) => key !== 'neighbours' || explain[key] !== 0)
            .map(({ key, label, look }) => (
              <span key={key}>
                <i className={`swatch ${look}`} aria-hidden="true" />
                {label} {explain[key].toFixed(2)}
              </span>
            ))}
        </span>
      )}
    </div>
  );
}
