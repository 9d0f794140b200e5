import { Page } from '../../design/page.tsx';

export function PromptsPage() {
  return <Page title="Prompts">Not there yet.</Page>;
}
