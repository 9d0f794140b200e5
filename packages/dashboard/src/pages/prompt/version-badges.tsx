import type { PromptVersion } from '@commonplace/client';
import { Badge } from '../../design/badge.tsx';

export const isLatest = (version: PromptVersion): boolean => version.labels.includes('latest');

/** What a version is besides its number. */
export function VersionBadges({ version }: { readonly version: PromptVersion }) {
  return (
    <>
      {version.production && (
        <Badge tone="ok" dot="still">
          production
        </Badge>
      )}
      {isLatest(version) && <Badge tone="accent">latest</Badge>}
      {version.status === 'archived' && <Badge tone="outline">archived</Badge>}
    </>
  );
}
