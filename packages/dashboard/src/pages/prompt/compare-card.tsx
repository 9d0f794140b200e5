import type { PromptVersion } from '@commonplace/client';
import { useDeferredValue, useMemo } from 'react';
import { Skeleton } from '../../design/feedback.tsx';
import { Select } from '../../design/field.tsx';
import { Icon } from '../../design/icon.tsx';
import { plural } from '../../design/numbers.ts';
import { readable } from './chat.ts';
import { countLines, type DiffRow, describeSame, diffTexts, rowsOf } from './diff.ts';
import { DiffTable } from './diff-table.tsx';
import { isLatest } from './version-badges.tsx';

interface CompareCardProps {
  /** What is held against it: undefined while it is loaded, and where there is one version alone. */
  readonly base: PromptVersion | undefined;
  readonly loading: boolean;
  readonly version: PromptVersion;
  readonly content: string;
  readonly changed: boolean;
  /** Those that can be chosen. */
  readonly versions: readonly PromptVersion[];
  readonly onBase: (number: number) => void;
}

function nameOf(version: PromptVersion): string {
  const notes = [version.production && 'production', isLatest(version) && 'latest'].filter(Boolean);
  return [`v${version.version}`, ...notes].join(', ');
}

const alone = 'There is one version. Change it and you see here what differs.';

/** What would change: the version in the editor, with what you typed, against the one in production or another. */
export function CompareCard({ base, loading, ...props }: CompareCardProps) {
  if (base) return <Comparison {...props} base={base} />;
  return (
    <section className="card compare" aria-labelledby="compare-title">
      <div className="card-head">
        <h2 className="section-title" id="compare-title">
          Compare
        </h2>
      </div>
      {loading ? <Skeleton lines={4} /> : <p className="card-body soft">{alone}</p>}
    </section>
  );
}

type ComparisonProps = Omit<CompareCardProps, 'base' | 'loading'> & { readonly base: PromptVersion };

function Comparison(props: ComparisonProps) {
  const { base, version, changed, versions, onBase } = props;
  const choices = [...versions, ...(versions.some(({ id }) => id === base.id) ? [] : [base])];
  const compared = useComparison(props);
  return (
    <section className="card compare" aria-labelledby="compare-title">
      <div className="card-head">
        <h2 className="section-title" id="compare-title">
          Compare
        </h2>
        <Select
          label="Compare with"
          hideLabel
          className="auto"
          value={String(base.version)}
          onChange={(event) => onBase(Number(event.target.value))}
          options={choices.map((choice) => ({ value: String(choice.version), label: nameOf(choice) }))}
        />
        <Icon name="arrow" />
        <span className="num">
          {nameOf(version)}
          {changed && ', with your changes'}
        </span>
        <Summary rows={compared.rows} />
      </div>
      <Differences {...compared} base={base} version={version} changed={changed} />
    </section>
  );
}

/** A chat is compared by its turns, and what was typed as if it were saved. */
function useComparison({ base, version, content, changed }: ComparisonProps) {
  const typed = useDeferredValue(content);
  return useMemo(() => {
    const [before, after] = [readable(base.type, base.content), readable(version.type, typed)];
    const fields = changed ? [] : (['type', 'config'] as const);
    return {
      rows: rowsOf(diffTexts(before, after)),
      ifSame: describeSame(before, after),
      fields: fields
        .map((field) => ({ field, from: JSON.stringify(base[field]), to: JSON.stringify(version[field]) }))
        .filter(({ from, to }) => from !== to),
    };
  }, [base, version, typed, changed]);
}

function Summary({ rows }: { readonly rows: readonly DiffRow[] }) {
  const { added, removed } = countLines(rows);
  return (
    <span className="push small num" role="status">
      <span className="sr-only">
        {plural(added, 'line')} added, {plural(removed, 'line')} removed
      </span>
      <span className="diff-added" aria-hidden="true">
        +{added}
      </span>{' '}
      <span className="diff-removed" aria-hidden="true">
        −{removed}
      </span>
    </span>
  );
}

type DifferencesProps = ReturnType<typeof useComparison> & Pick<ComparisonProps, 'base' | 'version' | 'changed'>;

function Differences({ rows, ifSame, fields, base, version, changed }: DifferencesProps) {
  const same = !rows.some((row) => row.changed);
  return (
    <div className="diff-wrap">
      {same && <p className="diff-note soft">{ifSame}</p>}
      {fields.map(({ field, from, to }) => (
        <p key={field} className="diff-note small">
          <b>{field}</b> <del>{from}</del> <ins>{to}</ins>
        </p>
      ))}
      {!same && (
        <DiffTable
          caption={`Differences between v${base.version} and v${version.version}${changed ? ' with your changes' : ''}`}
          rows={rows}
        />
      )}
    </div>
  );
}
