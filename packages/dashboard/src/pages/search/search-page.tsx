import { Page } from '../../design/page.tsx';

export function SearchPage() {
  return <Page title="Search">Not there yet.</Page>;
}
