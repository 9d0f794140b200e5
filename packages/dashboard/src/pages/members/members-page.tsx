import { Page } from '../../design/page.tsx';

export function MembersPage() {
  return <Page title="Members">Not there yet.</Page>;
}
