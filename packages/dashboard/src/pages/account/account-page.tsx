import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { meQuery } from '../../api/queries.ts';
import { Loaded } from '../../design/feedback.tsx';
import { Page } from '../../design/page.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { ActivityTab } from './activity-tab.tsx';
import { AppearanceCard } from './appearance-card.tsx';
import { DeleteAccount } from './delete-account.tsx';
import { InvitesTab, ownInvitesQuery } from './invites-tab.tsx';
import { OwnKeysTab } from './own-keys-tab.tsx';
import { PasswordCard } from './password-card.tsx';
import { ProfileCard } from './profile-card.tsx';
import type { accountTabs } from './search-params.ts';

const route = getRouteApi('/signed-in/account');
type AccountTab = (typeof accountTabs)[number];

export function AccountPage() {
  const { tab = 'profile' } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: invites } = useQuery(ownInvitesQuery);
  return (
    <Page title="Your account" narrow>
      <Tabs<AccountTab>
        label="Your account"
        value={tab}
        onChange={(next) => void navigate({ search: next === 'profile' ? {} : { tab: next } })}
        items={[
          { value: 'profile', label: 'Profile' },
          { value: 'keys', label: 'API keys' },
          { value: 'invites', label: 'Invites', count: invites?.meta.total || undefined },
          { value: 'activity', label: 'Activity' },
        ]}
      >
        {(shown) => {
          if (shown === 'keys') return <OwnKeysTab />;
          if (shown === 'invites') return <InvitesTab />;
          return shown === 'activity' ? <ActivityTab /> : <ProfileTab />;
        }}
      </Tabs>
    </Page>
  );
}

function ProfileTab() {
  const me = useQuery(meQuery);
  return (
    <Loaded query={me} skeletonLines={6}>
      {({ owner }) =>
        owner && (
          <div className="stack">
            <ProfileCard key={owner.id} user={owner} />
            <PasswordCard email={owner.email} />
            <AppearanceCard />
            <DeleteAccount email={owner.email} />
          </div>
        )
      }
    </Loaded>
  );
}
