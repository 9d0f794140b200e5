import type { UseQueryResult } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState } from 'react';
import { IconButton } from '../../design/button.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { useShortcuts } from '../../shell/shortcuts.ts';
import { MemoriesPanel } from './memories/memories-panel.tsx';
import type { SessionTab } from './search-params.ts';
import type { MemoryList } from './session-queries.ts';
import './session-side.css';
import { useSessionView } from './session-view.ts';

const loadSearch = () => import('./search-panel.tsx').then(({ SearchPanel: component }) => ({ default: component }));
const SearchPanel = lazy(loadSearch);
const DetailsPanel = lazy(() => import('./details/details-panel.tsx').then(({ DetailsPanel: component }) => ({ default: component })));

/** The margin: what explains the conversation. On a phone a drawer, which a tab or a pin opens. */
export function SessionSide({ memoryList }: { readonly memoryList: UseQueryResult<MemoryList> }) {
  const { search, look } = useSessionView();
  const [open, setOpen] = useState(search.tab !== undefined);
  const [searching, setSearching] = useState(0);
  const tab: SessionTab = search.tab ?? 'memories';
  const show = (next: SessionTab) => {
    const { tab: _, ...rest } = search;
    setOpen(true);
    if (next !== tab) look({ ...rest, ...(next !== 'memories' && { tab: next }) });
  };
  // Who presses / types on at once.
  useEffect(() => {
    void loadSearch();
  }, []);
  useEffect(() => {
    if (search.memory) setOpen(true);
  }, [search.memory]);
  useShortcuts({
    '/': () => {
      show('search');
      setSearching((times) => times + 1);
    },
  });
  return (
    <aside className="split-side" aria-label="Beside the conversation" data-open={open || undefined}>
      {/* A tab that is chosen already opens the drawer too. */}
      <div className="inner" onClickCapture={(event) => (event.target as Element).closest('[role=tab]') && setOpen(true)}>
        <Tabs<SessionTab>
          label="Beside the conversation"
          className="panel-tabs in-box"
          value={tab}
          onChange={show}
          items={[
            { value: 'memories', label: 'Memories', count: memoryList.data?.total },
            { value: 'search', label: 'Search' },
            { value: 'details', label: 'Details' },
          ]}
        >
          {(value) => (
            <div className="panel">
              {value === 'memories' && <MemoriesPanel memoryList={memoryList} />}
              <Suspense>
                {value === 'search' && <SearchPanel focused={searching} />}
                {value === 'details' && <DetailsPanel />}
              </Suspense>
            </div>
          )}
        </Tabs>
      </div>
      {/* Beside what scrolls: it is the way back to the field to write in, and stays in sight. */}
      <IconButton icon="down" label="Close the drawer" small className="drawer-close" onClick={() => setOpen(false)} />
    </aside>
  );
}
