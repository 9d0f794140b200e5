import { Page } from '../../design/page.tsx';

export function DocsPage() {
  return <Page title="Docs">Not there yet.</Page>;
}
