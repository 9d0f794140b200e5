/** Where the marks of a chart lie: in a square of 100 by 100 that is stretched to its place. */

export interface Scale {
  readonly top: number;
  /** From the top down to 0, equally far apart. */
  readonly ticks: readonly number[];
}

const MOST_TICKS = 4;
const NICE = [1, 2, 2.5, 5, 10];

/** A scale whose steps are easy to read. Counts have no halves. */
export function scaleTo(most: number, whole: boolean): Scale {
  if (most <= 0) return { top: 1, ticks: [1, 0] };
  const rough = most / MOST_TICKS;
  const size = 10 ** Math.floor(Math.log10(rough));
  const nice = NICE.map((factor) => factor * size).find((step) => step >= rough && (!whole || Number.isInteger(step))) ?? Math.ceil(rough);
  const steps = Math.ceil(most / nice);
  return { top: steps * nice, ticks: Array.from({ length: steps + 1 }, (_, at) => round((steps - at) * nice)) };
}

const round = (value: number) => Number(value.toFixed(6));

/** Of a point among so many, from the left edge to the right one. */
export const pointX = (at: number, count: number): number => (count > 1 ? round((at / (count - 1)) * 100) : 50);
/** Of the middle of a bar. */
export const barX = (at: number, count: number): number => round(((at + 0.5) / count) * 100);
export const valueY = (value: number, { top }: Scale): number => round(100 - (value / top) * 100);

/** A line with a gap where nothing was measured. What stands alone is a dot: a stroke of no length with round ends. */
export function linePath(values: readonly (number | null)[], scale: Scale): string {
  let drawn = '';
  let pen = 'M';
  for (const [at, value] of values.entries()) {
    if (value === null) {
      pen = 'M';
      continue;
    }
    const alone = pen === 'M' && (values[at + 1] ?? null) === null;
    drawn += `${pen}${pointX(at, values.length)} ${valueY(value, scale)}${alone ? 'h0.01' : ''}`;
    pen = 'L';
  }
  return drawn;
}

/** Under a line, for each run of values. */
export function areaPath(values: readonly (number | null)[], scale: Scale): string {
  const runs: string[] = [];
  let run: string[] = [];
  for (const [at, value] of [...values, null].entries()) {
    if (value !== null) run.push(`${pointX(at, values.length)} ${valueY(value, scale)}`);
    else if (run.length > 0) {
      const [first, last] = [run[0] as string, run.at(-1) as string];
      runs.push(`M${first.split(' ')[0]} 100L${run.join('L')}L${last.split(' ')[0]} 100Z`);
      run = [];
    }
  }
  return runs.join('');
}

/** Which of the steps are named below the chart: the first, the last, and some between that are equally far apart. */
export function labelledSteps(count: number, most: number): readonly number[] {
  if (count <= most) return Array.from({ length: count }, (_, at) => at);
  const every = Math.ceil((count - 1) / (most - 1));
  return Array.from({ length: Math.floor((count - 1) / every) + 1 }, (_, at) => count - 1 - at * every).reverse();
}

/** Of a step's width. */
const BAR_SHARE = 0.72;

/** Bars on top of each other, all of one series as one path. */
export function barPaths(stacked: readonly (readonly (number | null)[])[], scale: Scale): readonly string[] {
  const below: number[] = [];
  return stacked.map((values) => {
    const width = round((100 / values.length) * BAR_SHARE);
    return values
      .map((value, at) => {
        const from = below[at] ?? 0;
        below[at] = from + (value ?? 0);
        if (!value) return '';
        const y = valueY(below[at], scale);
        return `M${round(barX(at, values.length) - width / 2)} ${y}h${width}V${valueY(from, scale)}h-${width}Z`;
      })
      .join('');
  });
}
