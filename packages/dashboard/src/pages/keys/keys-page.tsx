import type { AccessKey, CreatedAccessKey } from '@commonplace/client';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { client } from '../../api/client.ts';
import { useCan } from '../../api/permissions.ts';
import { membersQuery } from '../../api/queries.ts';
import { Button } from '../../design/button.tsx';
import { ConfirmDialog } from '../../design/dialog.tsx';
import { Empty, Loaded } from '../../design/feedback.tsx';
import { Page, Pager } from '../../design/page.tsx';
import { describeTime } from '../../design/time.tsx';
import { showToast } from '../../design/toast.tsx';
import { useListKeys } from '../../shell/list-keys.ts';
import { useShortcuts } from '../../shell/shortcuts.ts';
import { CreatedKeyDialog } from './created-key-dialog.tsx';
import { KeyDialog } from './key-dialog.tsx';
import { KeysTable } from './keys-table.tsx';
import { NewKeyDialog } from './new-key-dialog.tsx';
import './keys.css';

const route = getRouteApi('/signed-in/w/$workspaceId/keys');
const PAGE = 50;

export function KeysPage() {
  const { workspaceId } = route.useParams();
  const search = route.useSearch();
  const offset = search.offset ?? 0;
  const navigate = route.useNavigate();
  const queryClient = useQueryClient();
  const [created, setCreated] = useState<CreatedAccessKey>();
  const [revoking, setRevoking] = useState<AccessKey>();
  const mayCreate = useCan('CAN_CREATE_WORKSPACE_ACCESS_KEY');
  const mayRevoke = useCan('CAN_DELETE_WORKSPACE_ACCESS_KEY');
  const list = useRef<HTMLElement>(null);
  const accessKeys = client.workspace(workspaceId).accessKeys;
  const keys = useQuery({
    queryKey: ['workspace', workspaceId, 'keys', { offset }],
    queryFn: ({ signal }) => accessKeys.list({ offset, limit: PAGE }, { signal }),
    placeholderData: keepPreviousData,
  });
  const listed = keys.data?.data.find(({ id }) => id === search.key);
  // One that is not on this page of the list.
  const other = useQuery({
    queryKey: ['workspace', workspaceId, 'keys', search.key],
    queryFn: ({ signal }) => accessKeys.get(search.key ?? '', { signal }),
    enabled: search.key !== undefined && keys.isSuccess && !listed,
  });
  const selected = search.key === undefined ? undefined : (listed ?? other.data);
  const { data: members = [] } = useQuery(membersQuery(workspaceId));
  const madeBy = ({ createdBy }: AccessKey) => members.find(({ userId }) => userId === createdBy)?.name ?? 'Somebody who left';
  const open = () => void navigate({ search: (old) => ({ ...old, new: true }) });
  const close = () => void navigate({ search: ({ new: _, key: __, ...old }) => old });
  const openByKey = () => {
    if (mayCreate) open();
  };
  useShortcuts({ C: openByKey });
  useListKeys(list);
  const revoke = async (key: AccessKey) => {
    await accessKeys.delete(key.id);
    await queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId, 'keys'] });
    showToast(`${key.name} is revoked`, { note: 'It is refused from its next request on.' });
  };
  const createButton = (
    <Button variant="primary" icon="plus" onClick={open}>
      Create key
    </Button>
  );
  return (
    <Page
      title="Access keys"
      lede={
        <>
          A key lets a program work in this workspace, and do only what you tick for it. For yourself, use an{' '}
          <Link to="/account" search={{ tab: 'keys' }}>
            API key of your account
          </Link>
          .
        </>
      }
      actions={mayCreate && keys.data?.meta.total !== 0 && createButton}
    >
      <section className="card" aria-label="Access keys" ref={list}>
        <Loaded query={keys} skeletonLines={4}>
          {({ data, meta }) =>
            meta.total === 0 ? (
              <Empty icon="key" title="No access keys yet" action={mayCreate && createButton}>
                A program needs one to write messages and read memories here.
              </Empty>
            ) : (
              <>
                <KeysTable keys={data} madeBy={madeBy} {...(mayRevoke && { onRevoke: setRevoking })} />
                <Pager
                  offset={offset}
                  limit={PAGE}
                  total={meta.total}
                  onMove={(to) => void navigate({ search: to > 0 ? { offset: to } : {} })}
                />
                <div className="card-foot">Only a hash is stored. A revoked key is refused from its next request on.</div>
              </>
            )
          }
        </Loaded>
      </section>
      {search.new && mayCreate && (
        <NewKeyDialog
          workspaceId={workspaceId}
          onClose={close}
          onCreated={(key) => {
            setCreated(key);
            close();
          }}
        />
      )}
      {created && <CreatedKeyDialog created={created} onDone={() => setCreated(undefined)} />}
      {selected && (
        <KeyDialog
          workspaceId={workspaceId}
          accessKey={selected}
          madeBy={madeBy(selected)}
          onClose={close}
          onRevoke={
            mayRevoke
              ? () => {
                  setRevoking(selected);
                  close();
                }
              : undefined
          }
        />
      )}
      {revoking && (
        <ConfirmDialog
          open
          onClose={() => setRevoking(undefined)}
          title={`Revoke ${revoking.name}?`}
          action="Revoke key"
          busyLabel="Revoking"
          onConfirm={() => revoke(revoking)}
        >
          {revoking.lastUsedAt
            ? `It was last used ${describeTime(revoking.lastUsedAt, Date.now())}. Whatever uses it is refused from its next request on.`
            : 'It was never used. Whatever has it is refused from now on.'}{' '}
          This can’t be undone.
        </ConfirmDialog>
      )}
    </Page>
  );
}
