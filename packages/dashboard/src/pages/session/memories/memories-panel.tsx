import type { UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { useCan } from '../../../api/permissions.ts';
import { type MemoryKind, memoryKinds } from '../../../design/badge.tsx';
import { Button } from '../../../design/button.tsx';
import { Empty, Loaded } from '../../../design/feedback.tsx';
import { Select } from '../../../design/field.tsx';
import { formatCount } from '../../../design/numbers.ts';
import { useShortcuts } from '../../../shell/shortcuts.ts';
import { type MemoryList, MOST_MEMORIES } from '../session-queries.ts';
import { useSessionView } from '../session-view.ts';
import { AsOf } from './as-of.tsx';
import { ExtractionState } from './extraction-state.tsx';
import { useHiddenMemories } from './memory-changes.ts';
import { MemoryDialog } from './memory-dialog.tsx';
import './memories.css';
import { MemoryItem } from './memory-item.tsx';

const SHOWN_AT_ONCE = 100;
const kinds = Object.keys(memoryKinds) as MemoryKind[];

export function MemoriesPanel({ memoryList }: { readonly memoryList: UseQueryResult<MemoryList> }) {
  const { search, filter, openMemory } = useSessionView();
  const [shown, setShown] = useState(SHOWN_AT_ONCE);
  const [writing, setWriting] = useState(false);
  const canWrite = useCan('CAN_CREATE_SESSION_MEMORY');
  const hidden = useHiddenMemories();
  const all = (memoryList.data?.memories ?? []).filter(({ id }) => !hidden.has(id));
  const chosen = search.kind ? all.filter(({ kind }) => kind === search.kind) : all;
  const step = (by: 1 | -1) => {
    const at = chosen.findIndex(({ id }) => id === search.memory);
    const next = chosen[at < 0 ? (by > 0 ? 0 : chosen.length - 1) : at + by];
    if (next) openMemory(next.id);
  };
  useShortcuts({ ']': () => step(1), '[': () => step(-1) });
  const counted = (kind: MemoryKind) => all.filter((memory) => memory.kind === kind).length;
  const clearKind = () => {
    const { kind: _, ...rest } = search;
    filter(rest);
  };
  return (
    <>
      <div className="panel-bar">
        <ExtractionState />
        <Select
          label="Kind"
          hideLabel
          className="auto small-select"
          value={search.kind ?? ''}
          options={[
            { value: '', label: 'All kinds' },
            ...kinds.map((kind) => ({ value: kind, label: `${memoryKinds[kind]} (${formatCount(counted(kind))})` })),
          ]}
          onChange={({ target }) => (target.value ? filter({ ...search, kind: target.value as MemoryKind }) : clearKind())}
        />
        {canWrite && (
          <Button small icon="plus" title="Write a memory by hand" onClick={() => setWriting(true)}>
            Write
          </Button>
        )}
      </div>
      <AsOf />
      <Loaded query={memoryList} skeletonLines={6}>
        {({ total }) => (
          <>
            {chosen.length === 0 && (
              <NoMemories kind={search.kind && memoryKinds[search.kind]} past={search.asOf !== undefined} onClear={clearKind} />
            )}
            <ul className="memories" aria-label="Memories">
              {chosen.slice(0, shown).map((memory) => (
                <MemoryItem key={memory.id} memory={memory} open={memory.id === search.memory} onOpen={openMemory} />
              ))}
            </ul>
            {chosen.length > shown && (
              <div className="panel-more">
                <Button small onClick={() => setShown(shown + SHOWN_AT_ONCE)}>
                  {`Show ${formatCount(Math.min(SHOWN_AT_ONCE, chosen.length - shown))} more`}
                </Button>
              </div>
            )}
            {total > MOST_MEMORIES && (
              <p className="panel-note muted small">
                The newest {formatCount(MOST_MEMORIES)} of {formatCount(total)} are listed. Search finds all of them.
              </p>
            )}
          </>
        )}
      </Loaded>
      {writing && <MemoryDialog onClose={() => setWriting(false)} />}
    </>
  );
}

interface NoMemoriesProps {
  readonly kind: string | undefined;
  readonly past: boolean;
  readonly onClear: () => void;
}

function NoMemories({ kind, past, onClear }: NoMemoriesProps) {
  if (kind) {
    return (
      <Empty icon="mark" title={`No memories of the kind “${kind}”`} action={<Button onClick={onClear}>Show all kinds</Button>}>
        {past ? 'None was held at that moment.' : undefined}
      </Empty>
    );
  }
  if (past)
    return (
      <Empty icon="clock" title="Nothing was held then">
        Move the slider to a later moment.
      </Empty>
    );
  return (
    <Empty icon="mark" title="No memories yet">
      A memory is made of what a user says about themselves, a moment after they say it.
    </Empty>
  );
}
