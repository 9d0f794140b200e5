/** The table of commands, from which the help is made too. */
import type { Command } from './command.ts';

export const commands: readonly Command[] = [
  {
    name: 'serve',
    summary: 'Run the service',
    usage: [''],
    options: {},
    notes: ['Ends on SIGTERM or Ctrl-C once the requests under way are answered; at once on the second.'],
    showsSettings: true,
    load: () => import('./serve.ts'),
  },
  {
    name: 'init',
    summary: 'Make what a program or an editor starts with: a workspace, an agent, an access key',
    usage: ['[--write] [--url <address>] [--email <address>] [--workspace <name>] [--agent <name>]'],
    options: {
      write: { type: 'boolean', help: 'Write the settings to .env here instead of printing them. An existing file is never overwritten.' },
      url: { type: 'string', value: 'address', help: 'Make them in a running service. It takes an API key from COMMONPLACE_API_KEY.' },
      email: { type: 'string', value: 'address', help: 'Whose workspace it is; of the first account where there is none.' },
      workspace: { type: 'string', value: 'name', help: 'The workspace, made unless there is one of that name: My workspace.' },
      agent: { type: 'string', value: 'name', help: 'The agent in it, made unless there is one of that name: My agent.' },
    },
    notes: [
      'The settings alone go to standard output, the rest to standard error. Secrets are shown once: only hashes of them are kept.',
      'It may run again: what is there is used, and only the access key is another one.',
    ],
    load: () => import('./init.ts'),
  },
  {
    name: 'migrate',
    summary: 'Bring the database up to this version',
    usage: ['[--dry-run]'],
    options: { 'dry-run': { type: 'boolean', help: 'Say what would run, and change nothing.' } },
    notes: ['The service does this by itself when it starts.'],
    load: () => import('./migrate.ts'),
  },
  {
    name: 'user create',
    summary: 'Make an account',
    usage: ['--email <address> --name <name> [--admin] [--password-stdin]'],
    options: {
      email: { type: 'string', value: 'address', help: 'The e-mail address to sign in with.' },
      name: { type: 'string', value: 'name', help: 'The name that others see.' },
      admin: { type: 'boolean', help: 'Make it an administrator. The first account always is one.' },
      'password-stdin': { type: 'boolean', help: 'Read the password from standard input instead of asking for it.' },
    },
    notes: ['A password has 10 to 200 characters. It is never given as an argument, which other users of the machine could read.'],
    load: () => import('./user-create.ts'),
  },
  {
    name: 'key create',
    summary: 'Make an API key of a user, or an access key of a workspace',
    usage: [
      '--email <address> --name <name> [--expires <time>]',
      '--workspace <id> --created-by <address> --permissions <names> --name <name> [--expires <time>]',
    ],
    options: {
      email: { type: 'string', value: 'address', help: 'Whose API key it is: it may do what the user may.' },
      workspace: { type: 'string', value: 'id', help: 'The workspace that the access key opens.' },
      'created-by': { type: 'string', value: 'address', help: 'The owner of the workspace who answers for the access key.' },
      permissions: { type: 'string', value: 'names', help: 'What the access key may do: names separated by commas, or all.' },
      name: { type: 'string', value: 'name', help: 'A name to tell keys apart.' },
      expires: { type: 'string', value: 'time', help: 'When it ends, such as 2027-01-31T00:00:00Z. Without it, never.' },
    },
    notes: ['The key alone goes to standard output, once: only a hash of it is kept.'],
    load: () => import('./key-create.ts'),
  },
  {
    name: 'mcp',
    summary: 'Speak MCP over standard input and output, for editors and assistants',
    usage: [
      '[--url <address>] [--workspace <id>] [--agent <id>] [--session <id>] [--labels <labels>]',
      '--data-dir <folder> [--workspace <id>] [--agent <id>] [--session <id>] [--labels <labels>]',
    ],
    options: {
      url: { type: 'string', value: 'address', help: 'The running service, as COMMONPLACE_URL; default http://127.0.0.1:8080.' },
      'data-dir': { type: 'string', value: 'folder', help: 'Work on this data folder in place of a running service.' },
      workspace: { type: 'string', value: 'id', help: 'The workspace, as COMMONPLACE_WORKSPACE_ID; default: that of the access key.' },
      agent: { type: 'string', value: 'id', help: 'The agent, as COMMONPLACE_AGENT_ID.' },
      session: { type: 'string', value: 'id', help: 'Your own id of the session, as COMMONPLACE_SESSION_ID.' },
      labels: {
        type: 'string',
        value: 'labels',
        help: 'Labels of the session when it is made: user=42&channel=editor. As COMMONPLACE_SESSION_LABELS.',
      },
    },
    notes: [
      'The key comes from COMMONPLACE_ACCESS_KEY, or COMMONPLACE_API_KEY for a user. It is never given as an argument, which other users of the machine could read.',
      'Ends when standard input ends.',
    ],
    load: () => import('./mcp.ts'),
  },
  {
    name: 'backup',
    summary: 'Copy the embedded database into one file, while the service runs or not',
    usage: ['<file>'],
    positionals: ['file'],
    options: {},
    notes: ['The copy is checked before it gets its name. An existing file is never overwritten.'],
    load: () => import('./backup.ts'),
  },
  {
    name: 'restore',
    summary: 'Put a backup in the place of the embedded database',
    usage: ['<file> [--force]'],
    positionals: ['file'],
    options: { force: { type: 'boolean', help: 'Replace the database that is there; it is kept beside the new one.' } },
    notes: ['The service must not be running.'],
    load: () => import('./restore.ts'),
  },
  {
    name: 'sync',
    summary: 'Keep the documents of a workspace in step with a folder of .md and .txt files',
    usage: ['<folder> [--prefix <name>] [--labels <labels>] [--dry-run] [--force] [--watch]'],
    positionals: ['folder'],
    options: {
      prefix: { type: 'string', value: 'name', help: 'What the folder goes by in the workspace. Without it, its own name.' },
      labels: { type: 'string', value: 'labels', help: 'Labels of every document, such as team=support,lang=en.' },
      'dry-run': { type: 'boolean', help: 'Say what would be done, and change nothing.' },
      force: { type: 'boolean', help: 'Go on though all or most of the documents would be deleted.' },
      watch: { type: 'boolean', help: 'Go on, and do it again whenever a file changes.' },
    },
    notes: [
      'A document is known by the prefix, a colon and the path in the folder: handbook:travel/expenses.md. Only documents with this prefix are looked at.\nNew and changed files are uploaded, and what is gone from the folder is deleted. Files that did not change cost nothing.',
      `The service runs elsewhere and is reached by its API. From the environment:
  COMMONPLACE_URL           Where it is. Default: http://127.0.0.1:8080.
  COMMONPLACE_WORKSPACE_ID  The workspace.
  COMMONPLACE_ACCESS_KEY    A key that may list, create and delete documents; or COMMONPLACE_API_KEY.`,
      'Ends with 1 when something could not be brought in step.',
    ],
    load: () => import('./sync.ts'),
  },
  {
    name: 'doctor',
    summary: 'Look for what is wrong with the settings, the machine and the database',
    usage: [''],
    options: {},
    notes: ['Changes nothing, and may run beside the service. Ends with 1 when something must be done.'],
    load: () => import('./doctor.ts'),
  },
];
