import { Page } from '../../design/page.tsx';

export function PromptPage() {
  return <Page title="Prompt">Not there yet.</Page>;
}
