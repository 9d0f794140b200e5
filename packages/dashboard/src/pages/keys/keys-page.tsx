import { Page } from '../../design/page.tsx';

export function KeysPage() {
  return <Page title="Keys">Not there yet.</Page>;
}
