import { Page } from '../../design/page.tsx';

export function StartPage() {
  return <Page title="Start">Not there yet.</Page>;
}
