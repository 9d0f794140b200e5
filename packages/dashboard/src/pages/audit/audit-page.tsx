import { Page } from '../../design/page.tsx';

export function AuditPage() {
  return <Page title="Audit">Not there yet.</Page>;
}
