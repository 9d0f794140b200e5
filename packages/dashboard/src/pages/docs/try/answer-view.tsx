import { useEffect, useRef } from 'react';
import { Badge } from '../../../design/badge.tsx';
import { CodeBlock } from '../../../design/code.tsx';
import { formatBytes, formatCount, formatMs } from '../../../design/numbers.ts';
import { Coloured } from '../coloured.tsx';
import type { Sent } from './send.ts';

/** A page of megabytes would freeze the browser; copying takes all of it. */
const MOST_SHOWN = 100_000;
const MOST_COLOURED = 20_000;

export function AnswerView({ sent }: { readonly sent: Sent }) {
  const { status, headers, text, sizeBytes, tookMs } = sent;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (sent) box.current?.scrollIntoView({ block: 'nearest' });
  }, [sent]);
  const shown = text.slice(0, MOST_SHOWN);
  return (
    <div ref={box} className="stack tight">
      <div className="row wrap" role="status">
        <Badge tone={status < 400 ? 'ok' : 'danger'}>{`${status}`}</Badge>
        <span className="muted num">
          {formatMs(tookMs)}, {formatBytes(sizeBytes)}
        </span>
      </div>
      {text ? (
        <div className="docs-code tall">
          <CodeBlock label="Answer" text={text}>
            {shown.length > MOST_COLOURED ? shown : <Coloured text={shown} />}
          </CodeBlock>
        </div>
      ) : (
        <p className="muted">No body.</p>
      )}
      {text.length > MOST_SHOWN && <p className="help">The first {formatCount(MOST_SHOWN)} characters. Copy takes all of them.</p>}
      <details className="docs-more">
        <summary>Headers of the answer</summary>
        <CodeBlock label="Headers" text={headers.map(([name, value]) => `${name}: ${value}`).join('\n')} />
      </details>
    </div>
  );
}
