import { Page } from '../../design/page.tsx';

export function SessionsPage() {
  return <Page title="Sessions">Not there yet.</Page>;
}
