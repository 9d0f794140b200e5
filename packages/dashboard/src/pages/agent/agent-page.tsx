import { Page } from '../../design/page.tsx';

export function AgentPage() {
  return <Page title="Agent">Not there yet.</Page>;
}
