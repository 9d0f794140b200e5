import { Page } from '../../design/page.tsx';

export function SessionPage() {
  return <Page title="Session">Not there yet.</Page>;
}
