import { serviceUrl } from '../../api/client.ts';
import type { SessionPlace } from './session-view.ts';

/** For a POSIX shell: nothing inside single quotes has a meaning but the quote. */
const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** A command that does the same with an access key. */
export function curlOf(place: SessionPlace, path: string, body?: unknown): string {
  const { workspaceId, agentId, sessionId } = place;
  const url = `${serviceUrl}/api/v1/workspaces/${workspaceId}/agents/${agentId}/sessions/${sessionId}${path}`;
  const lines = [`curl -sS ${quote(url)}`, '-H "X-Access-Key: $COMMONPLACE_ACCESS_KEY"'];
  if (body !== undefined) lines.push("-H 'Content-Type: application/json'", `-d ${quote(JSON.stringify(body))}`);
  return lines.join(' \\\n  ');
}
