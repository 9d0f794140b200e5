import { type CSSProperties, type PointerEvent, useState } from 'react';
import { areaPath, barPaths, barX, labelledSteps, linePath, pointX, type Scale, scaleTo, valueY } from './chart-scale.ts';

export interface ChartSeries {
  readonly id: string;
  readonly label: string;
  /** One of `s0` to `s4`, or `k-` and a kind. */
  readonly look: string;
  readonly values: readonly (number | null)[];
}

export interface ChartData {
  /** What a step is: "Day". */
  readonly stepName: string;
  /** The beginning of each step, as people read it. */
  readonly steps: readonly string[];
  readonly series: readonly ChartSeries[];
  /** Lines for what was measured, stacked bars for parts of a whole. */
  readonly form: 'lines' | 'bars';
  /** What it shows, for those who can't see it: "21,907 messages in 30 days, most on 8 Nov". */
  readonly finding: string;
  readonly format: (value: number) => string;
  readonly formatTick: (value: number) => string;
  /** Whether values are whole numbers. */
  readonly whole: boolean;
}

const MOST_LABELS = 5;

export function Chart({ label, data }: { readonly label: string; readonly data: ChartData }) {
  const [at, setAt] = useState<number>();
  const { steps, series, form } = data;
  const count = steps.length;
  const place = form === 'bars' ? barX : pointX;
  const scale = scaleTo(largestOf(data), data.whole);
  const readout = at === undefined ? undefined : describeStep(data, at);
  const point = (event: PointerEvent) => {
    const box = event.currentTarget.getBoundingClientRect();
    const share = Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
    setAt(Math.min(count - 1, form === 'bars' ? Math.floor(share * count) : Math.round(share * (count - 1))));
  };
  return (
    <div className="chart">
      <div className="chart-y" aria-hidden="true">
        {scale.ticks.map((tick) => (
          <span key={tick}>{data.formatTick(tick)}</span>
        ))}
      </div>
      <div className="chart-plot">
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label={data.finding}>
          {scale.ticks.map((tick) => (
            <path key={tick} className="grid" d={`M0 ${valueY(tick, scale)}H100`} />
          ))}
          {form === 'lines' ? <Lines series={series} scale={scale} /> : <Bars series={series} scale={scale} />}
          {at !== undefined && <path className="cursor" d={`M${place(at, count)} 0V100`} />}
        </svg>
        {readout && <Tip readout={readout} series={series} left={place(at ?? 0, count)} />}
        <input
          type="range"
          className="chart-reader"
          aria-label={`${label}, step by step`}
          aria-valuetext={readout ? `${readout.step}: ${readout.values.join(', ')}` : 'Use the arrow keys'}
          min={0}
          max={Math.max(count - 1, 0)}
          value={at ?? count - 1}
          onChange={(event) => setAt(Number(event.target.value))}
          onPointerMove={point}
          onPointerLeave={() => setAt(undefined)}
          onFocus={(event) => event.target.matches(':focus-visible') && setAt((before) => before ?? count - 1)}
          onBlur={() => setAt(undefined)}
        />
      </div>
      <div className="chart-x" aria-hidden="true">
        {labelledSteps(count, MOST_LABELS).map((step) => (
          <span key={step} style={{ '--x': `${place(step, count)}%` } as CSSProperties}>
            {steps[step]}
          </span>
        ))}
      </div>
    </div>
  );
}

function largestOf({ series, form, steps }: ChartData): number {
  if (form === 'lines') return Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)));
  return Math.max(0, ...steps.map((_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0)));
}

interface Readout {
  readonly step: string;
  readonly values: readonly string[];
}

function describeStep({ steps, series, format }: ChartData, at: number): Readout {
  const values = series.map(({ label, values: all }) => {
    const value = all[at] ?? null;
    return `${label} ${value === null ? 'not measured' : format(value)}`;
  });
  return { step: steps[at] ?? '', values };
}

function Lines({ series, scale }: { readonly series: readonly ChartSeries[]; readonly scale: Scale }) {
  const [only] = series.length === 1 ? series : [];
  return (
    <>
      {only && <path className="area" d={areaPath(only.values, scale)} />}
      {series.map(({ id, look, values }) => (
        <path key={id} className={`line line-${look}`} d={linePath(values, scale)} />
      ))}
    </>
  );
}

function Bars({ series, scale }: { readonly series: readonly ChartSeries[]; readonly scale: Scale }) {
  const paths = barPaths(
    series.map(({ values }) => values),
    scale,
  );
  return series.map(({ id, look }, at) => <path key={id} className={`bar bar-${look}`} d={paths[at]} />);
}

function Tip({ readout, series, left }: { readonly readout: Readout; readonly series: readonly ChartSeries[]; readonly left: number }) {
  return (
    <div className="chart-tip" data-side={left > 50 ? 'left' : 'right'} style={{ '--x': `${left}%` } as CSSProperties} aria-hidden="true">
      <div className="muted">{readout.step}</div>
      {readout.values.map((text, at) => (
        <div key={series[at]?.id} className="row">
          <i className={`swatch ${series[at]?.look}`} />
          <span className="truncate">{text}</span>
        </div>
      ))}
    </div>
  );
}
