import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useCan } from '../../../api/permissions.ts';
import { Button } from '../../../design/button.tsx';
import { IdText, KeyValues } from '../../../design/code.tsx';
import { formatExact } from '../../../design/time.tsx';
import { useChangeSession } from '../session-changes.ts';
import { DeleteSessionDialog } from '../session-dialogs.tsx';
import { useSessionView } from '../session-view.ts';
import { LabelsEditor } from './labels-editor.tsx';
import { MetaEditor } from './meta-editor.tsx';

export function DetailsPanel() {
  const { place, session, agentName } = useSessionView();
  const [deleting, setDeleting] = useState(false);
  const canUpdate = useCan('CAN_UPDATE_AGENT_SESSION');
  const canDelete = useCan('CAN_DELETE_AGENT_SESSION');
  const change = useChangeSession(session);
  const navigate = useNavigate();
  const archived = session.status === 'archived';
  const { workspaceId, agentId } = place;
  const reason = 'Your role in this workspace can’t change sessions';
  return (
    <div className="stack panel-body">
      <KeyValues
        items={[
          ['External id', <IdText key="external" id={session.externalId} />],
          ['Session id', <IdText key="id" id={session.id} />],
          [
            'Agent',
            <Link key="agent" to="/w/$workspaceId/agents/$agentId" params={{ workspaceId, agentId }}>
              {agentName}
            </Link>,
          ],
          ['Created', formatExact(session.createdAt)],
          ['Last activity', formatExact(session.lastActivityAt)],
          ['Changed', formatExact(session.updatedAt)],
        ]}
      />
      <LabelsEditor session={session} canEdit={canUpdate} />
      <MetaEditor session={session} canEdit={canUpdate} />
      <div className="row wrap">
        <Button
          icon="file"
          disabled={!canUpdate}
          title={canUpdate ? undefined : reason}
          onClick={() => change.mutate({ status: archived ? 'active' : 'archived' })}
        >
          {archived ? 'Bring back from the archive' : 'Archive session'}
        </Button>
        <Button
          icon="trash"
          variant="danger"
          disabled={!canDelete}
          title={canDelete ? undefined : reason}
          onClick={() => setDeleting(true)}
        >
          Delete session
        </Button>
      </div>
      {deleting && (
        <DeleteSessionDialog
          session={session}
          onClose={() => setDeleting(false)}
          onDeleted={() => void navigate({ to: '/w/$workspaceId/sessions', params: { workspaceId }, search: { agent: agentId } })}
        />
      )}
    </div>
  );
}
