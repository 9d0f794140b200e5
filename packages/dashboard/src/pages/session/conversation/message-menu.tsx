import type { Message } from '@commonplace/client';
import { curlOf } from '../../../api/curl.ts';
import { useCan } from '../../../api/permissions.ts';
import { copyText } from '../../../design/copy-text.ts';
import { AnchoredMenu, MenuItem, MenuSeparator } from '../../../design/menu.tsx';
import { sessionPath, useSessionView } from '../session-view.ts';

export interface OpenMenu {
  readonly message: Message;
  readonly anchor: HTMLElement;
}

interface MessageMenuProps {
  readonly open: OpenMenu | undefined;
  readonly onClose: () => void;
  readonly metaShown: boolean;
  readonly onEdit: (message: Message) => void;
  readonly onFork: (message: Message) => void;
  readonly onShowMeta: (message: Message) => void;
  readonly onDelete: (message: Message) => void;
}

export function MessageMenu({ open, onClose, metaShown, onEdit, onFork, onShowMeta, onDelete }: MessageMenuProps) {
  const { place } = useSessionView();
  const canEdit = useCan('CAN_UPDATE_SESSION_MESSAGE');
  const canDelete = useCan('CAN_DELETE_SESSION_MESSAGE');
  const canFork = useCan('CAN_CREATE_AGENT_SESSION');
  const message = open?.message;
  const link = () => {
    const url = new URL(window.location.href);
    url.search = `?message=${message?.id}`;
    return url.href;
  };
  return (
    <AnchoredMenu anchor={open?.anchor} onClose={onClose}>
      {message && (
        <>
          {canEdit && (
            <MenuItem icon="edit" onSelect={() => onEdit(message)}>
              Edit message
            </MenuItem>
          )}
          {canFork && (
            <MenuItem icon="fork" onSelect={() => onFork(message)}>
              Fork from here
            </MenuItem>
          )}
          <MenuItem icon="info" onSelect={() => onShowMeta(message)}>
            {metaShown ? 'Hide meta' : 'Show meta'}
          </MenuItem>
          <MenuItem icon="copy" onSelect={() => void copyText(message.content, 'Text copied')}>
            Copy text
          </MenuItem>
          <MenuItem icon="mark" onSelect={() => void copyText(link(), 'Link copied')}>
            Copy link
          </MenuItem>
          <MenuItem
            icon="copy"
            onSelect={() => void copyText(curlOf({ path: `${sessionPath(place)}/messages/${message.id}` }), 'Command copied')}
          >
            Copy as curl
          </MenuItem>
          {canDelete && (
            <>
              <MenuSeparator />
              <MenuItem icon="trash" danger onSelect={() => onDelete(message)}>
                Delete message
              </MenuItem>
            </>
          )}
        </>
      )}
    </AnchoredMenu>
  );
}
