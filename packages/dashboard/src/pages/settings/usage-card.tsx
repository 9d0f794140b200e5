import type { Usage } from '@commonplace/client';
import { useQuery } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { KeyValues } from '../../design/code.tsx';
import { Loaded, Progress } from '../../design/feedback.tsx';
import { formatBytes, formatCount } from '../../design/numbers.ts';
import { Card } from '../../design/page.tsx';
import { formatMonth } from '../../design/time.tsx';

/** What the workspace uses, and where a limit is, of what. */
export function UsageCard({ workspaceId }: { readonly workspaceId: string }) {
  const usage = useQuery({
    queryKey: ['workspace', workspaceId, 'usage'],
    queryFn: ({ signal }) => client.workspaces.usage(workspaceId, { signal }),
  });
  return (
    <Card title="Usage" lede="Counted with a delay of seconds. Whoever runs the service sets the limits.">
      <Loaded query={usage} skeletonLines={8}>
        {(data) => <KeyValues items={rowsOf(data)} />}
      </Loaded>
    </Card>
  );
}

function rowsOf({ month, calls, llmTokens, stored, requestsPerMinute, rate, largest }: Usage) {
  const row = (name: string, { used, limit }: OfLimit, format = formatCount) =>
    [name, <Used key={name} name={name} used={used} limit={limit} format={format} />] as const;
  return [
    row(`Calls in ${formatMonth(month)}`, calls),
    ...(requestsPerMinute.limit === null ? [] : [row('Requests this minute', requestsPerMinute)]),
    ...(llmTokens ? [row('Model tokens today', llmTokens)] : []),
    row('Agents', stored.agents),
    row('Sessions', stored.sessions),
    row('Messages', stored.messages),
    row('Memories', stored.memories),
    row('Prompts', stored.prompts),
    row('Documents', stored.documents),
    row('Stored text and files', stored.bytes, formatBytes),
    ['Your rate', rate.perSecond === null ? 'Not limited' : `${formatCount(rate.perSecond)} ${rate.unit} a second`],
    ['Largest file', formatBytes(largest.fileBytes)],
    ['Largest message', formatBytes(largest.contentBytes)],
  ] as const;
}

interface OfLimit {
  readonly used: number;
  readonly limit: number | null;
}

function Used({ name, used, limit, format }: OfLimit & { readonly name: string; readonly format: (value: number) => string }) {
  if (limit === null) return <span className="num">{format(used)}</span>;
  const share = limit === 0 ? 1 : used / limit;
  return (
    <span className="usage num">
      {format(used)} of {format(limit)}
      <Progress label={name} value={share} {...(share >= 1 && { tone: 'danger' as const })} />
    </span>
  );
}
