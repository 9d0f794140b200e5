/** Runs programs of this machine. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { repository } from './places.ts';

export interface Ended {
  /** null where it could not be started or a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export type Command = readonly [program: string, ...args: string[]];

/** In the repository, unless its program changes the folder. */
export async function runCommand([program, ...args]: Command, environment: NodeJS.ProcessEnv = process.env): Promise<Ended> {
  const child = spawn(program, args, { cwd: repository, stdio: ['ignore', 'pipe', 'pipe'], env: environment });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text;
    });
  }
  try {
    const [code] = await once(child, 'close');
    return { code: code as number | null, ...said };
  } catch (error) {
    return { code: null, ...said, stderr: String(error) };
  }
}

/** What it wrote to standard output; anything but success is an error. */
export async function mustRun(command: Command, environment?: NodeJS.ProcessEnv): Promise<string> {
  const { code, stdout, stderr } = await runCommand(command, environment);
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}:\n${stdout.slice(-4_000)}${stderr.slice(-4_000)}`);
  return stdout;
}
