import type { Session } from '@commonplace/client';
import { Link, useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useCan } from '../../api/permissions.ts';
import { Badge, LabelChips } from '../../design/badge.tsx';
import { IconButton } from '../../design/button.tsx';
import { copyText } from '../../design/copy-text.ts';
import { Menu, MenuItem, MenuSeparator } from '../../design/menu.tsx';
import { Table } from '../../design/page.tsx';
import { Time } from '../../design/time.tsx';
import { useShortcuts } from '../../shell/shortcuts.ts';
import { useChangeSession } from '../session/session-changes.ts';
import { DeleteSessionDialog, RenameDialog } from '../session/session-dialogs.tsx';

interface Asked {
  readonly session: Session;
  readonly about: 'rename' | 'delete';
}

/** J and K go from row to row, Enter opens, E renames. */
export function SessionsTable({ sessions }: { readonly sessions: readonly Session[] }) {
  const [asked, setAsked] = useState<Asked>();
  const body = useRef<HTMLDivElement>(null);
  const canUpdate = useCan('CAN_UPDATE_AGENT_SESSION');
  const links = () => [...(body.current?.querySelectorAll<HTMLAnchorElement>('a.title') ?? [])];
  const focused = () => links().findIndex((link) => link.closest('tr')?.contains(document.activeElement));
  const step = (by: 1 | -1) => {
    const all = links();
    const from = focused();
    all[from < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(Math.max(from + by, 0), all.length - 1)]?.focus();
  };
  const goToNext = () => step(1);
  const goToPrevious = () => step(-1);
  const rename = () => {
    const session = sessions[focused()];
    if (session && canUpdate) setAsked({ session, about: 'rename' });
  };
  useShortcuts({ J: goToNext, K: goToPrevious, E: rename });
  const close = () => setAsked(undefined);
  return (
    <div ref={body} className="sessions-table">
      <Table label="Sessions" columns={['Session', 'Labels', 'Status', { name: 'Last activity', className: 'nowrap' }, '']}>
        {sessions.map((session) => (
          <SessionRow key={session.id} session={session} onAsk={setAsked} />
        ))}
      </Table>
      {asked?.about === 'rename' && <RenameDialog session={asked.session} onClose={close} />}
      {asked?.about === 'delete' && <DeleteSessionDialog session={asked.session} onClose={close} />}
    </div>
  );
}

function SessionRow({ session, onAsk }: { readonly session: Session; readonly onAsk: (asked: Asked) => void }) {
  const { workspaceId, agentId, id: sessionId, title, externalId } = session;
  const name = title || externalId;
  return (
    <tr>
      <td className="session-cell">
        <Link
          to="/w/$workspaceId/agents/$agentId/sessions/$sessionId"
          params={{ workspaceId, agentId, sessionId }}
          className="title truncate"
          dir="auto"
          title={name}
        >
          {name}
        </Link>
        {title && (
          <span className="mono muted small truncate" title={externalId}>
            {externalId}
          </span>
        )}
      </td>
      <td className="labels-cell">
        <LabelChips labels={session.labels} />
      </td>
      <td>
        <Badge {...(session.status === 'active' ? { tone: 'ok', dot: 'still' } : {})}>{session.status}</Badge>
      </td>
      <td className="nowrap muted">
        <Time at={session.lastActivityAt} />
      </td>
      <td className="end">
        <SessionMenu session={session} name={name} onAsk={onAsk} />
      </td>
    </tr>
  );
}

interface SessionMenuProps {
  readonly session: Session;
  readonly name: string;
  readonly onAsk: (asked: Asked) => void;
}

function SessionMenu({ session, name, onAsk }: SessionMenuProps) {
  const canUpdate = useCan('CAN_UPDATE_AGENT_SESSION');
  const canDelete = useCan('CAN_DELETE_AGENT_SESSION');
  const change = useChangeSession(session);
  const navigate = useNavigate();
  const archived = session.status === 'archived';
  const { workspaceId, agentId, id: sessionId } = session;
  return (
    <Menu trigger={<IconButton icon="more" label={`Actions of ${name.slice(0, 80)}`} small />}>
      <MenuItem
        icon="right"
        onSelect={() =>
          void navigate({
            to: '/w/$workspaceId/agents/$agentId/sessions/$sessionId',
            params: { workspaceId, agentId, sessionId },
            search: { tab: 'details' },
          })
        }
      >
        Open details
      </MenuItem>
      <MenuItem icon="copy" onSelect={() => void copyText(session.externalId, 'External id copied')}>
        Copy external id
      </MenuItem>
      {canUpdate && (
        <>
          <MenuItem icon="edit" onSelect={() => onAsk({ session, about: 'rename' })}>
            Rename session
          </MenuItem>
          <MenuItem icon="file" onSelect={() => change.mutate({ status: archived ? 'active' : 'archived' })}>
            {archived ? 'Bring back from the archive' : 'Archive session'}
          </MenuItem>
        </>
      )}
      {canDelete && (
        <>
          <MenuSeparator />
          <MenuItem icon="trash" danger onSelect={() => onAsk({ session, about: 'delete' })}>
            Delete session
          </MenuItem>
        </>
      )}
    </Menu>
  );
}
