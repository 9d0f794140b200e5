/** A password from the person at the terminal, unseen, or from a pipe. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Interrupted, UsageError } from './command.ts';

const LONGEST = 10_000;

export async function readPassword(fromStdin: boolean): Promise<string> {
  if (fromStdin) return readPiped();
  if (!process.stdin.isTTY) throw new UsageError('there is no terminal to ask for a password on; pipe it in with --password-stdin');
  return askTwice();
}

/** Up to the end of the line, as `echo` and files with one line have it. */
async function readPiped(): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += chunk;
    if (text.includes('\n') || text.length > LONGEST) break;
  }
  return (text.split('\n')[0] as string).replace(/\r$/, '');
}

async function askTwice(): Promise<string> {
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const prompt = createInterface({ input: process.stdin, output: unseen, terminal: true });
  const ended = new AbortController();
  prompt.once('SIGINT', () => ended.abort());
  prompt.once('close', () => ended.abort());
  const ask = async (question: string) => {
    process.stderr.write(question);
    try {
      return await prompt.question('', { signal: ended.signal });
    } catch (error) {
      throw ended.signal.aborted ? new Interrupted() : error;
    } finally {
      process.stderr.write('\n');
    }
  };
  try {
    const password = await ask('Password (it is not shown): ');
    if ((await ask('The same again: ')) !== password) throw new Error('The two are not the same. Nothing was changed.');
    return password;
  } finally {
    prompt.close();
  }
}
