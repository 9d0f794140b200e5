/** What `init` says: a file of settings, a configuration for editors, and what to do next. */
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { InitResult, NewAccount } from './init-plan.ts';
import { npxTarget } from './npx-cache.ts';
import { readPackage } from './version.ts';

/** As `node --env-file`, dotenv and shells read it. */
export function environmentFile(url: string, made: InitResult): string {
  return Object.entries(settingsOf(url, made))
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

function settingsOf(url: string, { workspace, agent, accessKey }: InitResult): Record<string, string> {
  return {
    COMMONPLACE_URL: url,
    COMMONPLACE_WORKSPACE_ID: workspace.id,
    COMMONPLACE_AGENT_ID: agent.id,
    COMMONPLACE_ACCESS_KEY: accessKey,
  };
}

export function signIn({ email, password }: NewAccount, place: string): string {
  return `Made the first account, which administers ${place}. The password can't be shown again.\n\n  e-mail address  ${email}\n  password        ${password}\n\n`;
}

interface Facts {
  readonly url: string;
  readonly made: InitResult;
  /** The file that was written, if one was. */
  readonly file: string | undefined;
  readonly program: string;
}

export function nextSteps({ url, made, file, program }: Facts): string {
  const { workspace, agent } = made;
  const state = ({ isNew }: { isNew: boolean }) => (isNew ? 'made' : 'found');
  return [
    '',
    `Workspace "${workspace.name}" ${state(workspace)}, agent "${agent.name}" ${state(agent)}, an access key made. The key can't be shown again.`,
    '',
    'For an editor or assistant that speaks MCP:',
    '',
    JSON.stringify(
      { mcpServers: { commonplace: { ...mcpCommand(), env: { ...settingsOf(url, made), COMMONPLACE_SESSION_ID: sessionName() } } } },
      null,
      2,
    ),
    '',
    'Next:',
    `  1. ${file ? `Keep ${file} out of version control.` : 'Put the lines with COMMONPLACE_ above into a file named .env, and keep it out of version control.'}`,
    `  2. ${program} serve     # unless it runs already: ${url}`,
    `  3. set -a; . ./.env; set +a     # in another terminal, here: for the next line, and for programs`,
    `  4. curl -s "$COMMONPLACE_URL/api/v1/me" -H "X-Access-Key: $COMMONPLACE_ACCESS_KEY"     # every other call is at ${url}/docs`,
    '',
  ].join('\n');
}

/** An editor's memories are kept by machine, unless told otherwise. */
function sessionName(): string {
  return hostname() || 'editor';
}

/** How an editor starts this program: from whatever folder, and also where it finds no Node. */
function mcpCommand(): { command: string; args: string[] } {
  // The cache of npx comes and goes; the name of the package stays.
  if (npxTarget() === readPackage().name) return { command: 'npx', args: ['--yes', readPackage().name, 'mcp'] };
  const packed = fileURLToPath(new URL('../node/bin/node', import.meta.url));
  // One that came with the program stays as long as the program does. One of the machine is replaced, and its place with it.
  const node = [packed, process.execPath].find((file) => /[\\/]node_modules[\\/]/.test(file) && existsSync(file)) ?? 'node';
  return { command: node, args: [fileURLToPath(new URL('../../bin/commonplace.js', import.meta.url)), 'mcp'] };
}
