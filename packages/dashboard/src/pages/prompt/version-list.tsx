import type { PromptVersion } from '@commonplace/client';
import { Link } from '@tanstack/react-router';
import { Badge } from '../../design/badge.tsx';
import { formatCount } from '../../design/numbers.ts';
import { Time } from '../../design/time.tsx';
import { params } from '../../search-params.ts';
import { drafts, useKept } from './kept.ts';
import { VersionBadges } from './version-badges.tsx';

interface VersionListProps {
  readonly versions: readonly PromptVersion[];
  readonly total: number;
  readonly selected: PromptVersion;
  /** Where there are older ones that are not listed yet. */
  readonly onMore: (() => void) | undefined;
  readonly loadingMore: boolean;
}

export function VersionList({ versions, total, selected, onMore, loadingMore }: VersionListProps) {
  return (
    <aside className="card" aria-labelledby="versions-title">
      <div className="card-head">
        <h2 className="section-title" id="versions-title">
          Versions
        </h2>
        <span className="muted small push num">{formatCount(total)}</span>
      </div>
      <ol className="versions">
        {versions.map((version) => (
          <VersionItem key={version.id} version={version} current={version.id === selected.id} />
        ))}
      </ol>
      {onMore && (
        <div className="card-foot">
          <button type="button" className="link" onClick={onMore} disabled={loadingMore}>
            {loadingMore ? 'Loading older versions' : `Show older, ${formatCount(total - versions.length)} more`}
          </button>
        </div>
      )}
    </aside>
  );
}

function VersionItem({ version, current }: { readonly version: PromptVersion; readonly current: boolean }) {
  const draft = useKept(drafts, version.id);
  return (
    <li>
      <Link
        from="/w/$workspaceId/prompts/$promptId"
        to="."
        search={(before) => params({ ...before, version: version.version, compare: undefined })}
        className="version"
        aria-current={current ? 'true' : undefined}
        activeProps={{}}
        resetScroll={false}
      >
        <span className="row wrap version-head">
          <b className="num">v{version.version}</b>
          <VersionBadges version={version} />
          {draft && <Badge tone="warn">edited</Badge>}
          <Time at={version.createdAt} className="push muted small" />
        </span>
        <span className="clamp-2 version-message" dir="auto">
          {version.commitMessage || <span className="muted">No message</span>}
        </span>
        <span className="muted small mono">{version.commitHash}</span>
      </Link>
    </li>
  );
}
