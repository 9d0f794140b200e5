/** Starts a bundle of the server once, in an empty folder: it is known to work, and what Node compiled is kept beside it for later starts. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** For one that hangs, on a machine however slow. */
const LIMIT_MS = 300_000;

export async function tryServer(main: string, node = process.execPath): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'commonplace-try-'));
  try {
    const said = await runOnce([node, main, 'serve'], folder);
    if (said !== undefined) throw new Error(`The bundled server does not start:\n${said}`);
    shareCompiledCode(join(dirname(main), '../compiled'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Until it listens; undefined where it did, and ended as it was told. */
async function runOnce([node, ...args]: readonly [string, ...string[]], folder: string): Promise<string | undefined> {
  const child = spawn(node, args, { env: environmentOf(folder), cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const tooLong = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  let said = '';
  let isListening = false;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (isListening || !said.includes('listening at ')) return;
      isListening = true;
      child.kill('SIGTERM');
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(tooLong);
  return isListening && code === 0 ? undefined : said;
}

/** Node writes it for its own user alone; whoever may read the bundle may read this. */
function shareCompiledCode(folder: string): void {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) chmodSync(join(entry.parentPath, entry.name), 0o644);
  }
}

/** Nothing of the settings of who builds. */
function environmentOf(folder: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(COMMONPLACE|OTEL|NODE)_/.test(name));
  return {
    ...Object.fromEntries(inherited),
    COMMONPLACE_HOST: '127.0.0.1',
    COMMONPLACE_PORT: '0',
    COMMONPLACE_DATA_DIR: join(folder, 'data'),
    COMMONPLACE_LOG_LEVEL: 'info',
    MALLOC_ARENA_MAX: '2',
  };
}
