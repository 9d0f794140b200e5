import type { Hit } from '@commonplace/client';
import { Link } from '@tanstack/react-router';
import { Badge, KindBadge } from '../../design/badge.tsx';
import { chunkExcerptOf, excerptOf, headingWithin } from '../../design/excerpt.ts';
import { Highlight } from '../../design/highlight.tsx';
import { Icon } from '../../design/icon.tsx';
import { Score } from '../../design/score.tsx';

interface HitItemProps {
  readonly workspaceId: string;
  readonly hit: Hit;
  readonly query: string;
  /** Of the agents that are known by name. */
  readonly agentNames: ReadonlyMap<string, string>;
}

export function HitItem({ workspaceId, hit, query, agentNames }: HitItemProps) {
  const excerpt = hit.type === 'document' ? chunkExcerptOf(hit.text, query) : excerptOf(hit.text, query);
  return (
    <li className="hit found">
      <div className="row wrap hit-head">
        <HitLink workspaceId={workspaceId} hit={hit} query={query} agentNames={agentNames} />
      </div>
      <p className="hit-text" dir="auto">
        <Highlight text={excerpt} query={query} />
      </p>
      <Score score={hit.score} explain={hit.explain} />
    </li>
  );
}

const roles = { user: 'Said by the user', assistant: 'Said by the assistant', system: 'Said by the system' } as const;

/** Where it leads: the chunk, or the message or memory in its session. */
function HitLink({ workspaceId, hit, query, agentNames }: HitItemProps) {
  if (hit.type === 'document')
    return (
      <>
        <Icon name="knowledge" />
        <Link
          className="title truncate"
          data-stop
          to="/w/$workspaceId/knowledge/$documentId"
          params={{ workspaceId, documentId: hit.documentId }}
          search={{ chunk: hit.chunkId, q: query }}
          dir="auto"
        >
          {hit.title}
        </Link>
        <span className="muted small truncate" dir="auto">
          {headingWithin(hit.title, hit.heading)}
        </span>
        <span className="push">
          <Badge tone="outline">document</Badge>
        </span>
      </>
    );
  const { agentId, sessionId } = hit;
  // The page of a session reads what it shows from its address.
  const shown: object = hit.type === 'memory' ? { memory: hit.id } : { message: hit.id };
  return (
    <>
      <Icon name={hit.type === 'memory' ? 'mark' : 'sessions'} />
      <Link
        className="title truncate"
        data-stop
        to="/w/$workspaceId/agents/$agentId/sessions/$sessionId"
        params={{ workspaceId, agentId, sessionId }}
        search={shown}
      >
        {hit.type === 'memory' ? 'Memory' : roles[hit.role]}
      </Link>
      <span className="muted small truncate" dir="auto">
        {agentNames.get(agentId)}
      </span>
      <span className="push row">
        {hit.type === 'memory' && <KindBadge kind={hit.kind} />}
        <Badge tone="outline">{hit.type}</Badge>
      </span>
    </>
  );
}
