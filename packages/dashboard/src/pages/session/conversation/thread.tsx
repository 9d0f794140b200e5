import type { Message } from '@commonplace/client';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useCan } from '../../../api/permissions.ts';
import { Button } from '../../../design/button.tsx';
import { ErrorNotice } from '../../../design/error-notice.tsx';
import { Empty } from '../../../design/feedback.tsx';
import { plural } from '../../../design/numbers.ts';
import { useShortcuts } from '../../../shell/shortcuts.ts';
import { useSessionView } from '../session-view.ts';
import './conversation.css';
import { isSameDay } from './days.ts';
import { EditMessage } from './edit-message.tsx';
import { useDeleteMessage } from './message-changes.ts';
import { MessageMenu, type OpenMenu } from './message-menu.tsx';
import { MessageRow, type RowActions } from './message-row.tsx';
import { useBeginAtEnd } from './use-begin-at-end.ts';
import { useJump } from './use-jump.ts';
import { useMessageDraft } from './use-message-draft.ts';
import { useMovedRows } from './use-moved-rows.ts';

/** Of a row that was not read or not measured; `.message-waiting` has it too. */
const ESTIMATED_PX = 96;
/** So near to the end new messages push the old ones up. */
const AT_END_PX = 60;

interface ThreadProps {
  readonly onFork: (message: Message) => void;
  /** Scrolls to the end: after a message was sent. */
  readonly endRef: { current: () => void };
}

/** The conversation: only the rows in sight exist, and only the pages near them are here. */
export function Thread({ onFork, endRef }: ThreadProps) {
  const { pages, agentName, marked, search, memoriesByMessage, openMemory } = useSessionView();
  const { total } = pages;
  const scroller = useRef<HTMLDivElement>(null);
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const [withMeta, setWithMeta] = useState<ReadonlySet<string>>(new Set());
  const [menu, setMenu] = useState<OpenMenu>();
  const [seen, setSeen] = useState(total);
  const canEdit = useCan('CAN_UPDATE_SESSION_MESSAGE');
  const deleteMessage = useDeleteMessage();

  const virtualizer = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => ESTIMATED_PX,
    overscan: 8,
    paddingStart: 12,
    paddingEnd: 12,
    initialOffset: total * ESTIMATED_PX,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: AT_END_PX,
    useAnimationFrameWithResizeObserver: false,
  });
  const rows = virtualizer.getVirtualItems();
  const first = rows[0]?.index ?? 0;
  const last = rows.at(-1)?.index ?? 0;
  useEffect(() => pages.show(first, last), [pages, first, last]);
  const atEnd = total === 0 || (last === total - 1 && virtualizer.isAtEnd());
  useEffect(() => {
    if (atEnd) setSeen(total);
  }, [atEnd, total]);
  const unseen = atEnd ? 0 : Math.max(0, total - seen);

  const scrollToEnd = useCallback(() => virtualizer.scrollToEnd(), [virtualizer]);
  endRef.current = scrollToEnd;
  useBeginAtEnd(scroller, total, scrollToEnd);
  const focusRow = useJump(virtualizer, scroller);
  useMovedRows(virtualizer, scroller, new Map(rows.flatMap(({ index }) => placeEntry(pages.at(index)?.id, index))));
  const editor = useMessageDraft((messageId) => {
    const place = pages.placeOf(messageId);
    // One who went on to read elsewhere is not pulled back.
    if (place !== undefined && scroller.current?.querySelector(`[data-message="${messageId}"]`)) focusRow(place);
  });

  const actions = useMemo<RowActions>(
    () => ({
      fold: (id, open) => setUnfolded((before) => toggled(before, id, open)),
      openMenu: (message, anchor) => setMenu((open) => (open?.anchor === anchor ? undefined : { message, anchor })),
      openMemory,
    }),
    [openMemory],
  );
  const focusedMessage = () => {
    const article = document.activeElement?.closest('article[data-message]');
    const place = pages.placeOf(article?.getAttribute('data-message') ?? '');
    return place === undefined ? undefined : { place, message: pages.at(place) };
  };
  const step = (by: 1 | -1) => {
    const from = focusedMessage()?.place;
    let next = from === undefined ? (by > 0 ? first : (firstInSight(virtualizer) ?? last)) : from + by;
    while (isHiddenAt(pages, next)) next += by;
    if (next >= 0 && next < total) focusRow(next);
  };
  const edit = (message: Message | undefined) => {
    if (message && canEdit) editor.open(message);
  };
  const goToNext = () => step(1);
  const goToPrevious = () => step(-1);
  const editFocused = () => edit(focusedMessage()?.message);
  useShortcuts({ J: goToNext, K: goToPrevious, E: editFocused });
  const asOf = search.asOf;

  return (
    <div className="thread-frame">
      {total === 0 && (
        <Empty icon="sessions" title="No messages yet">
          Write the first one below, or send it from your agent.
        </Empty>
      )}
      <div
        ref={scroller}
        className="thread-scroll"
        hidden={total === 0}
        role="feed"
        aria-label="Conversation"
        aria-busy={rows.some(({ index }) => !pages.at(index))}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
        tabIndex={0}
      >
        <div className="thread-rows" style={{ height: virtualizer.getTotalSize() }}>
          {rows.map(({ key, index, start }) => {
            const message = pages.at(index);
            const before = pages.at(index - 1);
            const place = { transform: `translateY(${start}px)` };
            if (!message) return <div key={key} className="thread-row message-waiting" style={place} aria-hidden="true" />;
            return (
              <div key={message.id} ref={virtualizer.measureElement} data-index={index} className="thread-row" style={place}>
                {!pages.isHidden(message.id) && (
                  <MessageRow
                    message={message}
                    index={index}
                    total={total}
                    agentName={agentName}
                    newDay={index === 0 || (before !== undefined && !isSameDay(before.createdAt, message.createdAt))}
                    marked={marked.has(message.id)}
                    later={asOf !== undefined && Date.parse(message.createdAt) > Date.parse(asOf)}
                    unfolded={unfolded.has(message.id)}
                    metaShown={withMeta.has(message.id)}
                    memories={memoriesByMessage.get(message.id)}
                    chosenMemory={search.memory}
                    actions={actions}
                    editor={editor.draft?.id === message.id ? <EditMessage editor={editor} /> : undefined}
                  />
                )}
              </div>
            );
          })}
        </div>
      </div>
      {pages.failure !== undefined && (
        <div className="thread-notice">
          <ErrorNotice error={pages.failure} onRetry={() => pages.retry()} />
        </div>
      )}
      <div className="thread-new" role="status">
        {unseen > 0 && (
          <Button small icon="down" onClick={scrollToEnd}>
            {plural(unseen, 'new message')}
          </Button>
        )}
        {unseen === 0 && !atEnd && total - last > 30 && (
          <Button small icon="down" onClick={scrollToEnd}>
            Newest
          </Button>
        )}
      </div>
      <MessageMenu
        open={menu}
        onClose={() => setMenu(undefined)}
        metaShown={menu !== undefined && withMeta.has(menu.message.id)}
        onEdit={edit}
        onFork={onFork}
        onShowMeta={({ id }) => setWithMeta((shown) => toggled(shown, id, !shown.has(id)))}
        onDelete={(message) => {
          const place = pages.placeOf(message.id) ?? 0;
          deleteMessage(message);
          focusRow(place + 1 < total ? place + 1 : place - 1);
        }}
      />
    </div>
  );
}

function toggled(ids: ReadonlySet<string>, id: string, on: boolean): ReadonlySet<string> {
  const next = new Set(ids);
  if (on) next.add(id);
  else next.delete(id);
  return next;
}

type Rows = ReturnType<typeof useVirtualizer<HTMLDivElement, Element>>;

function firstInSight(virtualizer: Rows): number | undefined {
  return virtualizer.getVirtualItemForOffset(virtualizer.scrollOffset ?? 0)?.index;
}

function placeEntry(id: string | undefined, index: number): [string, number][] {
  return id === undefined ? [] : [[id, index]];
}

function isHiddenAt(pages: ReturnType<typeof useSessionView>['pages'], index: number): boolean {
  const message = pages.at(index);
  return message !== undefined && pages.isHidden(message.id);
}
