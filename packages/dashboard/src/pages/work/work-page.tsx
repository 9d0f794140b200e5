import { Page } from '../../design/page.tsx';

export function WorkPage() {
  return <Page title="Work">Not there yet.</Page>;
}
