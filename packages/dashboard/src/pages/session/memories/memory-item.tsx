import type { Memory } from '@commonplace/client';
import { useEffect, useRef, useState } from 'react';
import { useCan } from '../../../api/permissions.ts';
import { KindBadge } from '../../../design/badge.tsx';
import { Button } from '../../../design/button.tsx';
import { KeyValues } from '../../../design/code.tsx';
import { formatCount } from '../../../design/numbers.ts';
import { formatClock, formatExact, Time } from '../../../design/time.tsx';
import { useShortcuts } from '../../../shell/shortcuts.ts';
import { nameMoment } from '../conversation/days.ts';
import { foldText } from '../conversation/fold-text.ts';
import { sourcesOf, useSessionView } from '../session-view.ts';
import { useDeleteMemory } from './memory-changes.ts';
import { MemoryDialog } from './memory-dialog.tsx';
import { MemoryHistory } from './memory-history.tsx';
import { MessageLink } from './message-link.tsx';

interface MemoryItemProps {
  readonly memory: Memory;
  readonly open: boolean;
  readonly onOpen: (memoryId: string | undefined) => void;
}

/** Opening it marks the messages that it came from. */
export function MemoryItem({ memory, open, onOpen }: MemoryItemProps) {
  const item = useRef<HTMLLIElement>(null);
  const detailId = `memory-${memory.id}`;
  useEffect(() => {
    if (open) item.current?.scrollIntoView({ block: 'nearest' });
  }, [open]);
  return (
    <li ref={item} className="memory-item">
      <button
        type="button"
        className="memory"
        data-kind={memory.kind}
        aria-expanded={open}
        aria-controls={open ? detailId : undefined}
        onClick={() => onOpen(open ? undefined : memory.id)}
      >
        <span className="memory-text as-written" dir="auto">
          {open ? memory.content : (foldText(memory.content) ?? memory.content)}
        </span>
        <span className="memory-meta">
          <KindBadge kind={memory.kind} />
          <MemoryFacts memory={memory} />
        </span>
      </button>
      {open && <MemoryDetail id={detailId} memory={memory} />}
    </li>
  );
}

function MemoryFacts({ memory }: { readonly memory: Memory }) {
  const { pages } = useSessionView();
  const sources = sourcesOf(memory);
  const place = sources.length === 1 ? pages.placeOf(sources[0] ?? '') : undefined;
  return (
    <>
      {place !== undefined && (
        <span>
          message {formatCount(place + 1)}, {formatClock(memory.createdAt)}
        </span>
      )}
      {place === undefined && sources.length === 1 && <span>{nameMoment(memory.createdAt)}</span>}
      {sources.length > 1 && <span>{formatCount(sources.length)} messages</span>}
      {sources.length === 0 && (
        <span>
          written by hand, <Time at={memory.createdAt} />
        </span>
      )}
      {memory.expiresAt && (
        <span>
          expires <Time at={memory.expiresAt} />
        </span>
      )}
    </>
  );
}

const MOST_LINKS = 12;

function MemoryDetail({ id, memory }: { readonly id: string; readonly memory: Memory }) {
  const { openMemory, goToMessage } = useSessionView();
  const [editing, setEditing] = useState(false);
  const canEdit = useCan('CAN_UPDATE_SESSION_MEMORY');
  const canDelete = useCan('CAN_DELETE_SESSION_MEMORY');
  const forget = useDeleteMemory();
  const sources = sourcesOf(memory);
  // Where a message has the focus, the key is for that.
  const edit = () => canEdit && !document.activeElement?.closest('article[data-message]') && setEditing(true);
  useShortcuts({ E: edit });
  const extractor = extractorOf(memory);
  return (
    <div className="memory-detail" id={id}>
      <KeyValues
        items={[
          ...(sources.length > 0
            ? [
                [
                  'Said in',
                  <span key="sources" className="row wrap">
                    {sources.slice(0, MOST_LINKS).map((messageId) => (
                      <MessageLink key={messageId} messageId={messageId} />
                    ))}
                    {sources.length > MOST_LINKS && <span className="muted">and {formatCount(sources.length - MOST_LINKS)} more</span>}
                  </span>,
                ] as const,
              ]
            : []),
          ...(extractor ? [['Extractor', extractor] as const] : []),
          ...(memory.expiresAt ? [['Expires', formatExact(memory.expiresAt)] as const] : []),
        ]}
      />
      <MemoryHistory memory={memory} />
      <div className="row wrap">
        {canEdit && (
          <Button small icon="edit" onClick={() => setEditing(true)}>
            Edit memory
          </Button>
        )}
        {canDelete && (
          <Button
            small
            icon="trash"
            variant="danger"
            onClick={() => {
              openMemory(undefined);
              forget(memory);
            }}
          >
            Forget memory
          </Button>
        )}
        {sources[0] && (
          <button type="button" className="link small push" onClick={() => goToMessage(sources[0] ?? '')}>
            Go to the message
          </button>
        )}
      </div>
      {editing && <MemoryDialog memory={memory} onClose={() => setEditing(false)} />}
    </div>
  );
}

function extractorOf({ meta }: Memory): string | undefined {
  return typeof meta === 'object' && meta !== null && 'extractor' in meta && typeof meta.extractor === 'string'
    ? meta.extractor
    : undefined;
}
