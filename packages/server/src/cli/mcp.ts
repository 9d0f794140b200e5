/** `mcp`: MCP over standard input and output, passed on to a running service, or to one inside this process on a data folder. */
import { resolve } from 'node:path';
import { type Post, serveStdio } from '../mcp/stdio.ts';
import { type Arguments, exitCodes, textOf, UsageError } from './command.ts';
import { requireServiceUrl } from './service-url.ts';

const TIMEOUT_MS = 120_000;

export async function run(given: Arguments): Promise<number> {
  const pinned = { ...credential(), ...scopeOf(given) };
  const dataDir = textOf(given, 'data-dir');
  if (dataDir === undefined) {
    await serveStdio(process.stdin, process.stdout, remotePost(`${requireServiceUrl(textOf(given, 'url'))}/mcp`, pinned));
    return exitCodes.done;
  }
  if (textOf(given, 'url') !== undefined) throw new UsageError('--url names a running service and --data-dir a folder; give one of them');
  return serveFolder(resolve(dataDir), pinned);
}

function credential(): Record<string, string> {
  const { COMMONPLACE_ACCESS_KEY: accessKey, COMMONPLACE_API_KEY: apiKey } = process.env;
  if (accessKey) return { 'x-access-key': accessKey };
  if (apiKey) return { 'x-api-key': apiKey };
  throw new UsageError('COMMONPLACE_ACCESS_KEY is not set: put an access key of the workspace into the environment');
}

/** Those that are missing are said on standard error, where editors show what a server says of itself. */
function scopeOf(given: Arguments): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [option, variable, header] of [
    ['workspace', 'COMMONPLACE_WORKSPACE_ID', 'x-workspace-id'],
    ['agent', 'COMMONPLACE_AGENT_ID', 'x-agent-id'],
    ['session', 'COMMONPLACE_SESSION_ID', 'x-session-id'],
    ['labels', 'COMMONPLACE_SESSION_LABELS', 'x-session-labels'],
  ] as const) {
    const value = textOf(given, option) ?? process.env[variable];
    // As bytes of UTF-8, of which a header holds each as a character.
    if (value) found[header] = Buffer.from(value).toString('latin1');
    else if (option === 'agent' || option === 'session')
      process.stderr.write(`commonplace: no ${option} is named (${variable} or --${option}); tools that need one will say so.\n`);
  }
  return found;
}

const common = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

function remotePost(url: string, pinned: Record<string, string>): Post {
  return async (body, headers) => {
    try {
      // A redirect would carry the key to wherever it leads.
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...common, ...pinned, ...headers },
        body,
        redirect: 'manual',
        signal,
      });
      return { status: response.status, text: await response.text() };
    } catch (error) {
      const cause = (error as Error).cause as NodeJS.ErrnoException | undefined;
      throw new Error(
        `No answer from ${url} (${cause?.code ?? (error as Error).message}): is the service running, and is COMMONPLACE_URL its address?`,
        {
          cause: error,
        },
      );
    }
  };
}

async function serveFolder(dataDir: string, pinned: Record<string, string>): Promise<number> {
  process.env.COMMONPLACE_DATA_DIR = dataDir;
  delete process.env.COMMONPLACE_DATABASE_URL;
  const [{ createApp }, { readConfig }, { createCommandLog, withCurrentDatabase }, { StopRequest }] = await Promise.all([
    import('../app.ts'),
    import('../config.ts'),
    import('./database.ts'),
    import('./stop-request.ts'),
  ]);
  const log = createCommandLog();
  const stop = new StopRequest(log);
  const meanwhile = 'While the service runs, leave out --data-dir: the command then talks to the service.';
  await withCurrentDatabase(meanwhile, async (db) => {
    const app = await createApp(readConfig(process.env), db, log);
    try {
      app.start();
      const post: Post = async (payload, headers) => {
        const answer = await app.server.inject({ method: 'POST', url: '/mcp', headers: { ...common, ...pinned, ...headers }, payload });
        return { status: answer.statusCode, text: answer.payload };
      };
      await Promise.race([serveStdio(process.stdin, process.stdout, post), stop.made]);
    } finally {
      await app.close();
    }
  });
  return stop.exitCode;
}
