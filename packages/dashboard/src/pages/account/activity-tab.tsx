import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { client } from '../../api/client.ts';
import { CursorPager } from '../../design/cursor-pager.tsx';
import { Loaded } from '../../design/feedback.tsx';
import { Card } from '../../design/page.tsx';
import { AuditTable } from '../audit/audit-table.tsx';

const route = getRouteApi('/signed-in/account');
const PAGE = 25;

/** What happened to the account: sign-ins, failed ones too, and changes. */
export function ActivityTab() {
  const { cursor, entry } = route.useSearch();
  const navigate = route.useNavigate();
  const audits = useQuery({
    queryKey: ['own-audits', cursor],
    queryFn: ({ signal }) => client.me.audits.list({ limit: PAGE, ...(cursor && { cursor }) }, { signal }),
    placeholderData: keepPreviousData,
  });
  return (
    <Card title="Activity" lede="Sign-ins and changes to your account. If you don’t know one of them, change your password." flush>
      <Loaded query={audits} skeletonLines={6}>
        {({ data, meta }) => (
          <>
            <AuditTable
              label="Activity"
              entries={data}
              openId={entry}
              hideActor
              onOpen={(id) =>
                void navigate({ search: ({ entry: _, ...old }) => ({ ...old, ...(id && { entry: id }) }), resetScroll: false })
              }
            />
            <CursorPager
              total={meta.total}
              noun={['entry', 'entries']}
              later={cursor !== undefined}
              nextCursor={meta.cursor}
              onMove={(to) => void navigate({ search: { tab: 'activity', ...(to && { cursor: to }) } })}
            />
          </>
        )}
      </Loaded>
    </Card>
  );
}
