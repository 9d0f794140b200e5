import type { Explanation } from '@commonplace/client';
import { Link } from '@tanstack/react-router';
import { KindBadge, type MemoryKind } from '../../design/badge.tsx';
import { Highlight } from '../../design/highlight.tsx';
import { Score } from '../../design/score.tsx';
import { Time } from '../../design/time.tsx';

interface ShownMemory {
  readonly id: string;
  readonly kind: MemoryKind;
  readonly content: string;
  readonly sessionId: string;
  readonly createdAt?: string;
  readonly score?: number;
  readonly explain?: Explanation;
}

interface MemoryListProps {
  readonly workspaceId: string;
  readonly agentId: string;
  readonly memories: readonly ShownMemory[];
  readonly query: string;
}

export function MemoryList({ workspaceId, agentId, memories, query }: MemoryListProps) {
  return (
    <ul className="memory-list" aria-label="Memories">
      {memories.map((memory) => (
        <li key={memory.id} className="hit">
          <div className="row wrap">
            <KindBadge kind={memory.kind} />
            {memory.createdAt && <Time at={memory.createdAt} className="muted small" />}
            <Link
              className="push small"
              to="/w/$workspaceId/agents/$agentId/sessions/$sessionId"
              params={{ workspaceId, agentId, sessionId: memory.sessionId }}
              search={{ memory: memory.id }}
            >
              Open its session
            </Link>
          </div>
          <div className="hit-text" dir="auto">
            <Highlight text={memory.content} query={query} />
          </div>
          {memory.score !== undefined && <Score score={memory.score} explain={memory.explain} />}
        </li>
      ))}
    </ul>
  );
}
