/** What a person sees first: where everything is, and lines to paste that lead to a first answer. */
import { randomBytes } from 'node:crypto';

export interface Facts {
  readonly version: string;
  /** Where the service is reached, without a slash at the end. */
  readonly url: string;
  /** Whether it listens on every address of the machine. */
  readonly everywhere: boolean;
  readonly database: string;
  readonly embedded: boolean;
  readonly hasAccount: boolean;
  /** Whether COMMONPLACE_ADMIN_API_KEY is set, and known to the database. */
  readonly adminKey: 'none' | 'works' | 'unknown';
  readonly program: string;
  /** Whether there are pages to open. */
  readonly dashboard: boolean;
}

/** As `styleText` of node:util, which colours only what goes to a terminal. */
export type Style = (format: 'bold' | 'dim' | 'cyan', text: string) => string;

/** Where `init` looks unless told. */
const DEFAULT_URL = 'http://127.0.0.1:8080';
const JSON_BODY = `-H 'Content-Type: application/json'`;

export function firstScreen(facts: Facts, style: Style): string {
  const { version, url, everywhere, database } = facts;
  const lines = [
    '',
    style('bold', `Commonplace ${version}`),
    '',
    `  ${facts.dashboard ? 'Dashboard' : 'Listening'}      ${style('cyan', url)}${everywhere ? ' and every other address of this machine' : ''}`,
    ...(facts.dashboard ? [`  API reference  ${style('cyan', `${url}/docs`)}`] : []),
    `  Data           ${database}`,
    '',
    ...(facts.hasAccount ? nextSteps(facts, style) : firstAccount(facts, style)),
    '',
    style('dim', 'Ctrl-C stops the service.'),
    '',
  ];
  return `${lines.join('\n')}\n`;
}

function firstAccount(facts: Facts, style: Style): string[] {
  const { url, embedded, program, dashboard } = facts;
  const others = [
    `Or ${embedded ? 'stop the service and ' : ''}run: ${program} user create --email you@example.com --name You`,
    'Or set COMMONPLACE_ADMIN_EMAIL, and COMMONPLACE_ADMIN_PASSWORD or COMMONPLACE_ADMIN_API_KEY, before the start.',
  ];
  const init = `  ${program} init --write${url === DEFAULT_URL ? '' : ` --url ${url}`}`;
  if (!dashboard) return [...linesToPaste(facts, init, style), '', ...others];
  return [
    `There is no account yet. Open ${style('cyan', url)} to make one: it leads to your first message in five minutes.`,
    '',
    'Or in another terminal, which makes an account, a workspace, an agent and an access key:',
    '',
    init,
    '',
    ...others,
  ];
}

/** For a service without pages. */
function linesToPaste({ url }: Facts, init: string, style: Style): string[] {
  // A fixed one would be pasted as it is, and known to everyone.
  const password = randomBytes(12).toString('base64url');
  return [
    'There is no account yet. In another terminal, this makes one, with a workspace, an agent and an access key to start with:',
    '',
    init,
    '',
    'Or paste these lines, with your e-mail address, name and password:',
    '',
    style('dim', '  1. The first account, which administers the service'),
    `  curl -sS -c cookies.txt ${url}/api/v1/auth/setup ${JSON_BODY} \\`,
    `    -d '{"email":"you@example.com","name":"You","password":"${password}"}'`,
    '',
    style('dim', '  2. An API key, shown this once'),
    `  API_KEY=$(curl -sS -b cookies.txt ${url}/api/v1/apiKeys ${JSON_BODY} \\`,
    `    -H 'Sec-Fetch-Site: same-origin' -d '{"name":"My terminal"}' | sed 's/.*"key":"\\([^"]*\\)".*/\\1/'); rm cookies.txt; echo "$API_KEY"`,
    '',
    style('dim', '  3. A workspace, for agents with their sessions, memories and knowledge'),
    `  curl -sS ${url}/api/v1/workspaces -H "X-API-Key: $API_KEY" ${JSON_BODY} -d '{"name":"My first workspace"}'`,
  ];
}

function nextSteps({ url, adminKey, embedded, program, dashboard }: Facts, style: Style): string[] {
  const key = { works: '$COMMONPLACE_ADMIN_API_KEY', unknown: '$API_KEY', none: '$API_KEY' }[adminKey];
  return [
    ...(adminKey === 'unknown'
      ? ['COMMONPLACE_ADMIN_API_KEY is no key of this database: it counts only when the first account is made.', '']
      : []),
    style('dim', `  Your workspaces${adminKey === 'works' ? '' : ', with an API key of yours'}`),
    `  curl -sS ${url}/api/v1/workspaces -H "X-API-Key: ${key}"`,
    '',
    style('dim', '  A new one'),
    `  curl -sS ${url}/api/v1/workspaces -H "X-API-Key: ${key}" ${JSON_BODY} -d '{"name":"My workspace"}'`,
    '',
    ...(dashboard ? [`Every call can be read about and tried at ${url}/docs`] : []),
    ...(adminKey === 'works'
      ? []
      : [`To make a key:  ${embedded ? 'stop the service, then ' : ''}${program} key create --email <address> --name <name>`]),
    ...(embedded ? [`To back up:     ${program} backup <file>`] : []),
    `To check:       ${program} doctor`,
  ];
}
