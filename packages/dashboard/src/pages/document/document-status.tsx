import type { Document } from '@commonplace/client';
import { Badge } from '../../design/badge.tsx';
import { formatCount } from '../../design/numbers.ts';

const tones = { indexed: 'ok', processing: 'accent', failed: 'danger' } as const;

/** Always with its word. An indexed one with an error is found, of which some by its words alone. */
export function DocumentStatus({ document: { status, error } }: { readonly document: Document }) {
  if (status === 'indexed' && error) return <Badge tone="warn">indexed in part</Badge>;
  return (
    <Badge tone={tones[status]} {...(status === 'processing' && { dot: 'live' as const })}>
      {status}
    </Badge>
  );
}

/** "6", or "2 of 6" while they are not all there. */
export function describeChunks({ chunksIndexed, chunksTotal }: Document): string {
  return chunksIndexed === chunksTotal ? formatCount(chunksTotal) : `${formatCount(chunksIndexed)} of ${formatCount(chunksTotal)}`;
}
