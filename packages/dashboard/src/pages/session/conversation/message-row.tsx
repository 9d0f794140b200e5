import type { Memory, Message } from '@commonplace/client';
import { memo, type ReactNode } from 'react';
import { Avatar } from '../../../design/avatar.tsx';
import { IconButton } from '../../../design/button.tsx';
import { CodeBlock } from '../../../design/code.tsx';
import { formatClock, formatExact } from '../../../design/time.tsx';
import { roleNames } from '../session-view.ts';
import { nameDay } from './days.ts';
import { MessageText } from './message-text.tsx';

/** What a row can ask of the list; the same functions for all rows, so that rows stay as they are. */
export interface RowActions {
  readonly fold: (messageId: string, unfolded: boolean) => void;
  readonly openMenu: (message: Message, anchor: HTMLElement) => void;
  readonly openMemory: (memoryId: string) => void;
}

interface MessageRowProps {
  readonly message: Message;
  readonly index: number;
  readonly total: number;
  readonly agentName: string;
  /** Whether a new day begins with it. */
  readonly newDay: boolean;
  readonly marked: boolean;
  /** Said after the moment that is looked at. */
  readonly later: boolean;
  readonly unfolded: boolean;
  readonly metaShown: boolean;
  readonly memories: readonly Memory[] | undefined;
  readonly chosenMemory: string | undefined;
  readonly actions: RowActions;
  /** In place of the text: the form that edits it. */
  readonly editor?: ReactNode;
}

export const MessageRow = memo(function MessageRow(props: MessageRowProps) {
  const { message, index, total, agentName, newDay, marked, later, unfolded, metaShown, memories, chosenMemory, actions, editor } = props;
  const author = message.role === 'assistant' ? agentName : roleNames[message.role];
  return (
    <>
      {newDay && <div className="day">{nameDay(message.createdAt, Date.now())}</div>}
      <article
        className="message"
        data-role={message.role}
        data-source={marked || undefined}
        data-later={later || undefined}
        data-message={message.id}
        aria-label={`Message ${index + 1}, ${message.role}`}
        aria-posinset={index + 1}
        aria-setsize={total}
        tabIndex={-1}
      >
        <Avatar name={author} />
        <div className="message-body">
          <div className="message-head">
            <span className="message-author truncate">{author}</span>
            {author.toLowerCase() !== message.role && <span className="muted small">{message.role}</span>}
            <time className="message-time push" dateTime={message.createdAt} title={formatExact(message.createdAt)}>
              {formatClock(message.createdAt)}
            </time>
            <IconButton
              icon="more"
              label={`Actions of message ${index + 1}`}
              small
              className="message-more"
              aria-haspopup="menu"
              onClick={(event) => actions.openMenu(message, event.currentTarget)}
            />
          </div>
          {editor ?? <MessageText text={message.content} unfolded={unfolded} onFold={(next) => actions.fold(message.id, next)} />}
          {metaShown && (
            <div className="message-meta">
              <CodeBlock label={`Meta of message ${index + 1}`} text={JSON.stringify(message.meta, null, 2)} />
            </div>
          )}
        </div>
        {memories && memories.length > 0 && <Pins memories={memories} chosenMemory={chosenMemory} onOpen={actions.openMemory} />}
      </article>
    </>
  );
});

const MOST_PINS = 8;

function Pins({
  memories,
  chosenMemory,
  onOpen,
}: {
  readonly memories: readonly Memory[];
  readonly chosenMemory: string | undefined;
  readonly onOpen: (memoryId: string) => void;
}) {
  const more = memories.length - MOST_PINS;
  return (
    <ul className="message-notes" aria-label="Memories made of it">
      {memories.slice(0, MOST_PINS).map(({ id, kind, content }) => (
        <li key={id}>
          <button type="button" className="pin" aria-pressed={id === chosenMemory} title={content} onClick={() => onOpen(id)}>
            <span className="dot" data-kind={kind} aria-hidden="true" />
            <span className="truncate" dir="auto">
              {content.slice(0, 120)}
            </span>
          </button>
        </li>
      ))}
      {more > 0 && <li className="muted small">and {more} more</li>}
    </ul>
  );
}
