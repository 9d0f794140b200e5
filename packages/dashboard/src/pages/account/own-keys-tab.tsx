import type { ApiKey, CreatedApiKey } from '@commonplace/client';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { client, serviceUrl } from '../../api/client.ts';
import { Button } from '../../design/button.tsx';
import { CodeBlock } from '../../design/code.tsx';
import { ConfirmDialog } from '../../design/dialog.tsx';
import { Empty, Loaded } from '../../design/feedback.tsx';
import { Card, Pager, Table } from '../../design/page.tsx';
import { ShownOnceDialog } from '../../design/shown-once-dialog.tsx';
import { describeTime, Time } from '../../design/time.tsx';
import { showToast } from '../../design/toast.tsx';
import { Expiry } from '../keys/expiry.tsx';
import { NewOwnKeyDialog } from './new-own-key-dialog.tsx';

const route = getRouteApi('/signed-in/account');
const PAGE = 50;

/** Keys that do what the reader may do, in every workspace. */
export function OwnKeysTab() {
  const search = route.useSearch();
  const offset = search.offset ?? 0;
  const navigate = route.useNavigate();
  const queryClient = useQueryClient();
  const [created, setCreated] = useState<CreatedApiKey>();
  const [revoking, setRevoking] = useState<ApiKey>();
  const keys = useQuery({
    queryKey: ['own-keys', { offset }],
    queryFn: ({ signal }) => client.apiKeys.list({ offset, limit: PAGE }, { signal }),
    placeholderData: keepPreviousData,
  });
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['own-keys'] });
  const close = () => void navigate({ search: ({ new: _, ...old }) => old });
  const revoke = async (key: ApiKey) => {
    await client.apiKeys.delete(key.id);
    await refresh();
    showToast(`${key.name} is revoked`);
  };
  const createButton = (
    <Button variant="primary" icon="plus" onClick={() => void navigate({ search: (old) => ({ ...old, new: true }) })}>
      Create API key
    </Button>
  );
  return (
    <>
      <Card
        title="API keys"
        lede="For your own scripts: a key does what you may do, in every workspace. A program gets an access key of its workspace instead."
        aside={keys.data?.meta.total ? createButton : undefined}
        flush
      >
        <Loaded query={keys} skeletonLines={2}>
          {({ data, meta }) =>
            meta.total === 0 ? (
              <Empty icon="key" title="No API keys" action={createButton}>
                Make one to call the API as yourself.
              </Empty>
            ) : (
              <>
                <Table label="API keys" columns={['Name', 'Key', 'Last used', 'Expires', '']}>
                  {data.map((key) => (
                    <tr key={key.id}>
                      <td className="title" dir="auto">
                        {key.name}
                      </td>
                      <td className="mono muted nowrap">{key.hint}</td>
                      <td className="nowrap">
                        {key.lastUsedAt ? <Time at={key.lastUsedAt} /> : <span className="muted">Never used</span>}
                      </td>
                      <td className="nowrap">
                        <span className="phone-only">Expires </span>
                        <Expiry at={key.expiresAt} />
                      </td>
                      <td className="end">
                        <Button small variant="ghost" aria-label={`Revoke key ${key.name}`} onClick={() => setRevoking(key)}>
                          Revoke key
                        </Button>
                      </td>
                    </tr>
                  ))}
                </Table>
                <Pager
                  offset={offset}
                  limit={PAGE}
                  total={meta.total}
                  onMove={(to) => void navigate({ search: { tab: 'keys', ...(to > 0 && { offset: to }) } })}
                />
              </>
            )
          }
        </Loaded>
      </Card>
      {search.new && (
        <NewOwnKeyDialog
          onClose={close}
          onCreated={(key) => {
            setCreated(key);
            close();
            void refresh();
          }}
        />
      )}
      {created && (
        <ShownOnceDialog title="Your API key is ready" secret={created.key} onDone={() => setCreated(undefined)}>
          <CodeBlock label="Who am I" text={`curl ${serviceUrl}/api/v1/me -H "X-API-Key: ${created.key}"`} />
        </ShownOnceDialog>
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
          {revoking.lastUsedAt ? `It was last used ${describeTime(revoking.lastUsedAt, Date.now())}. ` : 'It was never used. '}
          Whatever has it is refused from its next request on. This can’t be undone.
        </ConfirmDialog>
      )}
    </>
  );
}
