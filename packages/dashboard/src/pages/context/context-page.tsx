import { Page } from '../../design/page.tsx';

export function ContextPage() {
  return <Page title="Context">Not there yet.</Page>;
}
