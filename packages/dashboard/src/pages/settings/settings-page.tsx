import type { Workspace } from '@commonplace/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { roleCan } from '../../api/permissions.ts';
import { statsQuery, workspaceQuery, workspacesQuery } from '../../api/queries.ts';
import { IdText, KeyValues } from '../../design/code.tsx';
import { DangerZone } from '../../design/danger-zone.tsx';
import { ConfirmDialog } from '../../design/dialog.tsx';
import { Loaded } from '../../design/feedback.tsx';
import { formatCount, plural } from '../../design/numbers.ts';
import { Card, Page } from '../../design/page.tsx';
import { formatDay } from '../../design/time.tsx';
import { showToast } from '../../design/toast.tsx';
import { ExampleDataCard } from '../../example-data/example-data-card.tsx';
import { roleNames } from '../../shell/workspace-switcher.tsx';
import { NameCard } from './name-card.tsx';
import { UsageCard } from './usage-card.tsx';
import './settings.css';

const route = getRouteApi('/signed-in/w/$workspaceId/settings');

export function SettingsPage() {
  const { workspaceId } = route.useParams();
  const workspace = useQuery(workspaceQuery(workspaceId));
  return (
    <Page title="Settings" narrow>
      <Loaded query={workspace} skeletonLines={6}>
        {(data) => (
          <div className="stack">
            <NameCard key={data.id} workspace={data} />
            <IdentityCard workspace={data} />
            <UsageCard workspaceId={data.id} />
            <ExampleDataCard workspaceId={data.id} />
            <DeleteWorkspace workspace={data} />
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function IdentityCard({ workspace }: { readonly workspace: Workspace }) {
  return (
    <Card title="Workspace">
      <KeyValues
        items={[
          ['Id', <IdText key="id" id={workspace.id} />],
          ['Handle', <IdText key="handle" id={workspace.handle} />],
          [
            'Members',
            <Link key="members" to="/w/$workspaceId/members" params={{ workspaceId: workspace.id }}>
              {plural(workspace.membersCount, 'member')}
            </Link>,
          ],
          ['Your role', roleNames[workspace.role]],
          ['Created', formatDay(workspace.createdAt)],
        ]}
      />
    </Card>
  );
}

function DeleteWorkspace({ workspace }: { readonly workspace: Workspace }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [asking, setAsking] = useState(false);
  const { data: stats } = useQuery(statsQuery(workspace.id));
  const mayDelete = roleCan(workspace.role, 'CAN_DELETE_WORKSPACE');
  const remove = async () => {
    await client.workspaces.delete(workspace.id);
    await queryClient.invalidateQueries({ queryKey: workspacesQuery.queryKey });
    await navigate({ to: '/' });
    queryClient.removeQueries({ queryKey: ['workspace', workspace.id] });
    showToast(`${workspace.name} is deleted`);
  };
  return (
    <>
      <DangerZone
        title="Delete this workspace"
        action="Delete workspace"
        refusal={!mayDelete && 'Only an owner can delete it.'}
        onPress={() => setAsking(true)}
      >
        With its agents, sessions, memories, prompts, documents and keys, for every member, at once and for good.
      </DangerZone>
      {asking && (
        <ConfirmDialog
          open
          onClose={() => setAsking(false)}
          title={`Delete ${workspace.name}?`}
          action="Delete workspace"
          busyLabel="Deleting"
          typedName={workspace.name}
          onConfirm={remove}
        >
          {stats &&
            `${plural(stats.agents, 'agent')}, ${plural(stats.sessions, 'session')} with ${formatCount(stats.messages)} messages and ${formatCount(stats.memories)} memories, ${plural(stats.prompts, 'prompt')} and ${plural(stats.documents, 'document')} go with it. `}
          {plural(workspace.membersCount, 'member')} and every access key lose it at once. This can’t be undone.
        </ConfirmDialog>
      )}
    </>
  );
}
