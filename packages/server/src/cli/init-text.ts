/** What `init` says: a file of settings, a configuration for editors, and what to do next. */
import { fileURLToPath } from 'node:url';
import type { Made, NewAccount } from './init-plan.ts';
import { readPackage } from './version.ts';

/** As `node --env-file`, dotenv and shells read it. */
export function environmentFile(url: string, made: Made): string {
  return Object.entries(settingsOf(url, made))
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

function settingsOf(url: string, { workspace, agent, accessKey }: Made): Record<string, string> {
  return {
    COMMONPLACE_URL: url,
    COMMONPLACE_WORKSPACE_ID: workspace.id,
    COMMONPLACE_AGENT_ID: agent.id,
    COMMONPLACE_ACCESS_KEY: accessKey,
  };
}

export function signIn(url: string, { email, password }: NewAccount): string {
  return `Made the first account, who administers the service at ${url}. The password can't be shown again.\n\n  e-mail address  ${email}\n  password        ${password}\n\n`;
}

interface Facts {
  readonly url: string;
  readonly made: Made;
  /** The file that was written, if one was. */
  readonly file: string | undefined;
  readonly program: string;
}

export function beginnings({ url, made, file, program }: Facts): string {
  const { workspace, agent } = made;
  const state = ({ isNew }: { isNew: boolean }) => (isNew ? 'made' : 'found');
  return [
    '',
    `Workspace "${workspace.name}" ${state(workspace)}, agent "${agent.name}" ${state(agent)}, an access key made. The key can't be shown again.`,
    '',
    'For an editor or assistant that speaks MCP:',
    '',
    JSON.stringify({ mcpServers: { commonplace: { ...mcpCommand(), env: settingsOf(url, made) } } }, null, 2),
    '',
    'Next:',
    `  1. ${file ? `Keep ${file} out of version control.` : 'Put the lines above into a file named .env, and keep it out of version control.'}`,
    `  2. ${program} serve                    # unless it runs already: ${url}`,
    `  3. curl -s ${url}/api/v1/me -H "X-Access-Key: $COMMONPLACE_ACCESS_KEY"   # and every other call at ${url}/docs`,
    '',
  ].join('\n');
}

/** How an editor starts this program, from whatever folder. */
function mcpCommand(): { command: string; args: string[] } {
  const program = fileURLToPath(new URL('../../bin/commonplace.js', import.meta.url));
  // The cache of npx comes and goes; the name of the package stays.
  const isCached = /[\\/]_npx[\\/]/.test(program);
  return isCached ? { command: 'npx', args: ['--yes', readPackage().name, 'mcp'] } : { command: 'node', args: [program, 'mcp'] };
}
