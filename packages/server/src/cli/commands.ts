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
    name: 'quota set',
    summary: 'Give one workspace limits of its own',
    usage: ['<workspace> [--messages <limit>] [--documents <limit>] [--bytes <limit>] [--requests-per-minute <limit>]'],
    positionals: ['workspace'],
    options: {
      messages: { type: 'string', value: 'limit', help: 'Messages that it may hold.' },
      documents: { type: 'string', value: 'limit', help: 'Documents that it may hold.' },
      bytes: { type: 'string', value: 'limit', help: 'Bytes that it may hold of what callers write.' },
      'requests-per-minute': { type: 'string', value: 'limit', help: 'Requests of all its callers in a minute, on all nodes.' },
    },
    notes: [
      'A limit is a whole number, "off" for none, or "default" for that of the service (COMMONPLACE_QUOTA_…). What is left out stays as it is.',
      'On PostgreSQL it may run beside the service, and every node hears of it at once. The embedded database is opened while the service is stopped.',
    ],
    load: () => import('./quota-set.ts'),
  },
  {
    name: 'quota show',
    summary: 'Show the limits of a workspace, and what it uses of them',
    usage: ['<workspace>'],
    positionals: ['workspace'],
    options: {},
    notes: ['The defaults are those of the environment that this command runs in.'],
    load: () => import('./quota-show.ts'),
  },
  {
    name: 'quota clear',
    summary: 'Take the limits of its own from a workspace: the defaults hold again',
    usage: ['<workspace>'],
    positionals: ['workspace'],
    options: {},
    load: () => import('./quota-clear.ts'),
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
    usage: ['<file>', '--list [--from <address>]', '--take-over [--from <address>]'],
    positionals: ['file'],
    positionalsUnless: ['list', 'take-over'],
    options: {
      list: { type: 'boolean', help: 'Show the points in time that the continuous backup can restore.' },
      from: { type: 'string', value: 'address', help: 'Where the continuous backup is; default COMMONPLACE_BACKUP_URL.' },
      'take-over': { type: 'boolean', help: 'Let this data folder write there from now on, in place of the one that did.' },
    },
    notes: [
      'The copy is checked before it gets its name. An existing file is never overwritten.',
      'A continuous backup needs no command: the service makes it where COMMONPLACE_BACKUP_URL is set.',
    ],
    load: () => import('./backup.ts'),
  },
  {
    name: 'restore',
    summary: 'Put a backup in the place of the embedded database',
    usage: ['<file> [--force] [--data-dir <folder>]', '--from <address> [--at <time>] [--last-whole] [--force] [--data-dir <folder>]'],
    positionals: ['file'],
    positionalsUnless: ['from'],
    options: {
      from: { type: 'string', value: 'address', help: 'Where a continuous backup is: file:///folder or s3://bucket/prefix.' },
      at: { type: 'string', value: 'time', help: 'The point in time, such as 2026-11-16T06:00:00Z; default latest.' },
      'last-whole': { type: 'boolean', help: 'Where something is missing or damaged, restore the last point before it.' },
      force: { type: 'boolean', help: 'Replace the database that is there; it is kept beside the new one.' },
      'data-dir': { type: 'string', value: 'folder', help: 'Where to; default COMMONPLACE_DATA_DIR.' },
    },
    notes: [
      'The service must not be running.',
      'The database is as it was at the last point at or before the time, which is named. Keys of a bucket come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
    ],
    load: () => import('./restore.ts'),
  },
  {
    name: 'export',
    summary: 'Take out all that is in a workspace, into one file',
    usage: ['<file> [--workspace <id>] [--url <address>] [--vectors]'],
    positionals: ['file'],
    options: {
      workspace: { type: 'string', value: 'id', help: 'The workspace, as COMMONPLACE_WORKSPACE_ID.' },
      url: { type: 'string', value: 'address', help: 'The running service, as COMMONPLACE_URL; default http://127.0.0.1:8080.' },
      vectors: { type: 'boolean', help: 'Bring vectors along, so that a service with the same model need not make them again.' },
    },
    notes: [
      'The file is JSON Lines; "-" is standard output, and a name that ends in .gz is compressed. It gets its name when it is whole. An existing file is never overwritten.',
      'The key comes from COMMONPLACE_API_KEY, of an owner or admin of the workspace. It is never given as an argument, which other users of the machine could read.',
    ],
    load: () => import('./export.ts'),
  },
  {
    name: 'import',
    summary: 'Bring what was exported, or the history of another program, into a workspace',
    usage: [
      '<file> [--workspace <id>] [--url <address>] [--new-ids]',
      '<path> --from <format> [--agent <name>] [--workspace <id>] [--url <address>]',
    ],
    positionals: ['file'],
    options: {
      from: { type: 'string', value: 'format', help: 'What the file or folder is: chatgpt, mem0, langchain or markdown.' },
      agent: { type: 'string', value: 'name', help: 'Whom the sessions belong to, made unless there is one of that name.' },
      workspace: { type: 'string', value: 'id', help: 'The workspace, as COMMONPLACE_WORKSPACE_ID.' },
      url: { type: 'string', value: 'address', help: 'The running service, as COMMONPLACE_URL; default http://127.0.0.1:8080.' },
      'new-ids': { type: 'boolean', help: 'Give everything other ids. Without it, the same ids where they are free.' },
    },
    notes: [
      '"-" is standard input, and a file that ends in .gz is unpacked. What is there already is passed over: after an interruption, run it again.',
      'The key comes from COMMONPLACE_API_KEY, of an owner or admin of the workspace.',
      `Formats of --from:
  chatgpt    OpenAI's export of ChatGPT, unpacked: the folder, or its conversations.json. Each conversation is a session.
  mem0       Memories of Mem0, as a JSON list or JSON Lines. Those of each user are in a session with the label user.
  langchain  Messages as JSON Lines, of LangChain or plain: {"role": "user", "content": "…", "session_id": "…"}.
  markdown   A folder of .md and .txt files, as documents that are known by their paths.`,
      'Ends with 1 when something could not be brought in, and names its line, or its place in the file that it came from.',
    ],
    load: () => import('./import.ts'),
  },
  {
    name: 'move',
    summary: 'Move everything from the embedded database to PostgreSQL, or back',
    usage: ['--to <address> [--data-dir <folder>] [--resume]', '--from <address> [--data-dir <folder>] [--resume]'],
    options: {
      to: { type: 'string', value: 'address', help: 'The PostgreSQL to move to, postgres://user@host:5432/database: an empty one.' },
      from: { type: 'string', value: 'address', help: 'The PostgreSQL to move from, into a data folder without a database.' },
      'data-dir': { type: 'string', value: 'folder', help: 'Where the embedded database is; default COMMONPLACE_DATA_DIR.' },
      resume: { type: 'boolean', help: 'Go on with a move that was stopped.' },
    },
    notes: [
      'The service must not be running, on either of them. Ids, accounts and keys stay the same, and what is moved stays where it was.',
      'At the end both are read again, and what each table holds is shown: rows and a checksum. Ends with 1 when one differs.\nNobody is served from a database that is not whole: a move that was stopped goes on with --resume, or begins anew with an empty database.',
      'A password is better in PGPASSWORD than in the address, which other users of the machine could read.',
    ],
    load: () => import('./move.ts'),
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
