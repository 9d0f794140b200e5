import { Page } from '../../design/page.tsx';

export function OverviewPage() {
  return <Page title="Overview">Not there yet.</Page>;
}
