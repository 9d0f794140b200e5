import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { curlOf } from '../../api/curl.ts';
import { useCan } from '../../api/permissions.ts';
import { Badge, LabelChips } from '../../design/badge.tsx';
import { Button, IconButton } from '../../design/button.tsx';
import { copyText } from '../../design/copy-text.ts';
import { Menu, MenuItem, MenuSeparator } from '../../design/menu.tsx';
import { plural } from '../../design/numbers.ts';
import { showToast } from '../../design/toast.tsx';
import { useChangeSession } from './session-changes.ts';
import { DeleteSessionDialog, RenameDialog } from './session-dialogs.tsx';
import { sessionKey, sessionPath, useSessionView } from './session-view.ts';

export function SessionHead({ onFork }: { readonly onFork: () => void }) {
  const { place, session, agentName, pages } = useSessionView();
  const [dialog, setDialog] = useState<'rename' | 'delete'>();
  const navigate = useNavigate();
  const canUpdate = useCan('CAN_UPDATE_AGENT_SESSION');
  const canDelete = useCan('CAN_DELETE_AGENT_SESSION');
  const canFork = useCan('CAN_CREATE_AGENT_SESSION');
  const change = useChangeSession(session);
  const archived = session.status === 'archived';
  const toList = () =>
    void navigate({ to: '/w/$workspaceId/sessions', params: { workspaceId: place.workspaceId }, search: { agent: place.agentId } });
  return (
    <div className="session-head">
      <div className="grow">
        <h1 className="page-title session-title" dir="auto" title={session.title || session.externalId}>
          {session.title || session.externalId}
        </h1>
        <div className="row session-facts">
          <Badge {...(archived ? {} : { tone: 'ok', dot: 'still' })}>{session.status}</Badge>
          <span className="muted small nowrap">
            {agentName}
            {pages.isLoaded && `, ${plural(pages.total, 'message')}`}
          </span>
          <LabelChips labels={session.labels} />
        </div>
      </div>
      <div className="row">
        <RegenerateButton />
        <Menu trigger={<IconButton icon="more" label="More actions" className="bordered" />}>
          {canUpdate && (
            <>
              <MenuItem icon="edit" onSelect={() => setDialog('rename')}>
                Rename session
              </MenuItem>
              <MenuItem icon="file" onSelect={() => change.mutate({ status: archived ? 'active' : 'archived' })}>
                {archived ? 'Bring back from the archive' : 'Archive session'}
              </MenuItem>
            </>
          )}
          {canFork && (
            <MenuItem icon="fork" onSelect={onFork}>
              Fork session
            </MenuItem>
          )}
          <MenuItem
            icon="copy"
            onSelect={() => void copyText(curlOf({ path: `${sessionPath(place)}/messages?limit=100` }), 'Command copied')}
          >
            Copy as curl
          </MenuItem>
          {canDelete && (
            <>
              <MenuSeparator />
              <MenuItem icon="trash" danger onSelect={() => setDialog('delete')}>
                Delete session
              </MenuItem>
            </>
          )}
        </Menu>
      </div>
      {dialog === 'rename' && <RenameDialog session={session} onClose={() => setDialog(undefined)} />}
      {dialog === 'delete' && <DeleteSessionDialog session={session} onClose={() => setDialog(undefined)} onDeleted={toList} />}
    </div>
  );
}

/** Looks at all messages again. Readers keep the old memories until the new ones are whole. */
export function RegenerateButton() {
  const { place } = useSessionView();
  const queryClient = useQueryClient();
  const canRegenerate = useCan('CAN_CREATE_SESSION_MEMORY');
  const regenerate = useMutation({
    mutationFn: () => client.workspace(place.workspaceId).memories.regenerate(place.agentId, place.sessionId),
    onSuccess: async ({ queued }) => {
      showToast(`Looking at ${plural(queued, 'message')} again`, { note: 'You keep the old memories until the new ones are whole.' });
      await queryClient.invalidateQueries({ queryKey: [...sessionKey(place), 'extraction'] });
    },
    onError: (error) => showToast(error.message, { danger: true }),
  });
  return (
    <Button
      icon="refresh"
      busy={regenerate.isPending && 'Regenerating'}
      disabled={!canRegenerate}
      title={canRegenerate ? 'Look at all messages again' : 'Your role in this workspace can’t change memories'}
      onClick={() => regenerate.mutate()}
    >
      Regenerate memories
    </Button>
  );
}
