import type { DocumentHit } from '@commonplace/client';
import { Link } from '@tanstack/react-router';
import { chunkExcerptOf, headingWithin } from '../../design/excerpt.ts';
import { Highlight } from '../../design/highlight.tsx';
import { Score } from '../../design/score.tsx';

interface DocumentHitProps {
  readonly workspaceId: string;
  readonly hit: DocumentHit;
  readonly query: string;
}

export function DocumentHitItem({ workspaceId, hit, query }: DocumentHitProps) {
  const { documentId, chunkId, title, heading, text, score, explain } = hit;
  return (
    <li className="hit">
      <div className="row hit-head">
        <Link
          className="title truncate"
          to="/w/$workspaceId/knowledge/$documentId"
          params={{ workspaceId, documentId }}
          search={{ chunk: chunkId, q: query }}
          dir="auto"
        >
          {title}
        </Link>
        <span className="muted small truncate" dir="auto" title={heading}>
          {headingWithin(title, heading)}
        </span>
      </div>
      <p className="hit-text" dir="auto">
        <Highlight text={chunkExcerptOf(text, query)} query={query} />
      </p>
      <Score score={score} explain={explain} />
    </li>
  );
}
