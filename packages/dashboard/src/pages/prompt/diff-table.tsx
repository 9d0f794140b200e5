import { Fragment, useState } from 'react';
import { plural } from '../../design/numbers.ts';
import { type DiffLine, type DiffPart, type DiffRow, foldRows } from './diff.ts';
import { TemplateText } from './template-text.tsx';

/** More rows than anyone reads, and than a page draws at once. */
const MOST_ROWS = 1_500;

export function DiffTable({ caption, rows }: { readonly caption: string; readonly rows: readonly DiffRow[] }) {
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const folded = foldRows(rows);
  const shown = folded.slice(0, MOST_ROWS);
  return (
    <>
      <table className="diff">
        <caption className="sr-only">{caption}</caption>
        <colgroup>
          <col className="diff-number" />
          <col />
          <col className="diff-number" />
          <col />
        </colgroup>
        <tbody>
          {shown.map((item) => {
            if ('row' in item) return <Row key={keyOf(item.row)} row={item.row} />;
            const first = item.hidden[0]?.before?.number ?? 0;
            return opened.has(first) ? (
              <Fragment key={`hidden-${first}`}>
                {item.hidden.slice(0, MOST_ROWS).map((row) => (
                  <Row key={keyOf(row)} row={row} />
                ))}
              </Fragment>
            ) : (
              <tr key={`hidden-${first}`} className="diff-fold">
                <td colSpan={4}>
                  <button type="button" className="link" onClick={() => setOpened(new Set(opened).add(first))}>
                    Show {plural(item.hidden.length, 'unchanged line')}
                  </button>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {folded.length > MOST_ROWS && <p className="diff-more muted small">{plural(folded.length - MOST_ROWS, 'more line')} not shown.</p>}
    </>
  );
}

const keyOf = ({ before, after }: DiffRow) => `${before?.number ?? ''}-${after?.number ?? ''}`;

function Row({ row: { changed, before, after } }: { readonly row: DiffRow }) {
  return (
    <tr data-changed={changed || undefined}>
      <td className="ln">{before?.number}</td>
      <td className={changed ? (before ? 'del' : 'none') : undefined}>{before && <Line line={before} as="del" />}</td>
      <td className="ln">{after?.number}</td>
      <td className={changed ? (after ? 'add' : 'none') : undefined}>{after && <Line line={after} as="ins" />}</td>
    </tr>
  );
}

/** Of one line; a megabyte without a break is no reading. */
const MOST_CHARACTERS = 4_000;

function cutParts(parts: readonly DiffPart[]): { readonly shown: readonly DiffPart[]; readonly hidden: number } {
  let left = MOST_CHARACTERS;
  const shown = parts.flatMap((part) => {
    const text = part.text.slice(0, Math.max(0, left));
    left -= part.text.length;
    return text === '' ? [] : [{ ...part, text }];
  });
  return { shown, hidden: Math.max(0, -left) };
}

function Line({ line: { parts }, as }: { readonly line: DiffLine; readonly as: 'del' | 'ins' }) {
  const { shown, hidden } = cutParts(parts);
  return (
    <>
      <Words parts={shown} as={as} />
      {hidden > 0 && <span className="muted"> … {plural(hidden, 'more character')}</span>}
    </>
  );
}

function Words({ parts, as: Changed }: { readonly parts: readonly DiffPart[]; readonly as: 'del' | 'ins' }) {
  return parts.map(({ text, changed }, at) => {
    const key = `${at}`;
    return changed ? (
      <Changed key={key}>
        <TemplateText text={text} />
      </Changed>
    ) : (
      <Fragment key={key}>
        <TemplateText text={text} />
      </Fragment>
    );
  });
}
