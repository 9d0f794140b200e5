import { Page } from '../../design/page.tsx';

export function AccountPage() {
  return <Page title="Account">Not there yet.</Page>;
}
