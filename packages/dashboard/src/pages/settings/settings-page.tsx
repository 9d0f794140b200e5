import { Page } from '../../design/page.tsx';

export function SettingsPage() {
  return <Page title="Settings">Not there yet.</Page>;
}
