import { useQuery } from '@tanstack/react-query';
import type { ChartData } from '../../design/chart.tsx';
import { ChartCard } from '../../design/chart-card.tsx';
import { ErrorNotice } from '../../design/error-notice.tsx';
import { type Metric, seriesQuery } from './queries.ts';
import type { Range } from './search-params.ts';
import { chartOf, isBlank } from './series-data.ts';

interface PlotProps {
  readonly workspaceId: string;
  readonly days: Range;
  readonly metric: Metric;
  readonly title: string;
  /** Of its one line, where it has no parts. */
  readonly label: string;
  readonly form: ChartData['form'];
  /** Where there is nothing to see. */
  readonly nothing: string;
}

export function Plot({ workspaceId, days, metric, title, label, form, nothing }: PlotProps) {
  const { data, error, refetch } = useQuery(seriesQuery(workspaceId, metric, days));
  const failure = !data && error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : undefined;
  const blank = data && isBlank(data) && (
    <div className="empty">
      <p>{nothing}</p>
    </div>
  );
  return (
    <ChartCard title={title} data={data && chartOf(data, label, form)}>
      {failure || blank}
    </ChartCard>
  );
}
