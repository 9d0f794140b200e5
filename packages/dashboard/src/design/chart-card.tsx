import { type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import { Chart, type ChartData } from './chart.tsx';
import './chart-card.css';

interface ChartCardProps {
  readonly title: string;
  /** Undefined while it is asked for: its place is kept. */
  readonly data: ChartData | undefined;
  /** In its place where it could not be asked for, or there is nothing to show. */
  readonly children?: ReactNode;
}

/** A chart with its legend, and the same as numbers. */
export function ChartCard({ title, data, children }: ChartCardProps) {
  const [numbers, setNumbers] = useState(false);
  const shown = children ? undefined : data;
  return (
    <section className="card chart-card" aria-label={title}>
      <div className="card-head">
        <h2 className="section-title">{title}</h2>
        <Button
          small
          variant="ghost"
          className="push"
          aria-label={`${numbers ? 'Show plot' : 'Show numbers'} of ${title}`}
          disabled={!shown}
          onClick={() => setNumbers(!numbers)}
        >
          {numbers ? 'Show plot' : 'Show numbers'}
        </Button>
        <div className="legend card-lede">
          {shown?.series.map(({ id, label, look }) => (
            <span key={id}>
              <i className={`swatch ${look}`} aria-hidden="true" />
              <span className="truncate">{label}</span>
            </span>
          ))}
        </div>
      </div>
      <div className="card-body chart-place">
        {children}
        {shown && (numbers ? <NumbersTable title={title} data={shown} /> : <Chart label={title} data={shown} />)}
      </div>
    </section>
  );
}

/** Newest first. */
function NumbersTable({ title, data }: { readonly title: string; readonly data: ChartData }) {
  const { stepName, steps, series, format } = data;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section className="chart-numbers" tabIndex={0} aria-label={`Numbers of ${title}`}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{stepName}</th>
            {series.map(({ id, label }) => (
              <th key={id} scope="col" className="end">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {steps
            .map((step, at) => (
              <tr key={step}>
                <th scope="row">{step}</th>
                {series.map(({ id, values }) => (
                  <td key={id} className="end">
                    {values[at] === null || values[at] === undefined ? '–' : format(values[at])}
                  </td>
                ))}
              </tr>
            ))
            .reverse()}
        </tbody>
      </table>
    </section>
  );
}
