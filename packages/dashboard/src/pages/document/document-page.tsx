import { Page } from '../../design/page.tsx';

export function DocumentPage() {
  return <Page title="Document">Not there yet.</Page>;
}
