/** Finds the command, reads its arguments, runs it, and turns what goes wrong into one line and an exit code. */
import { parseArgs } from 'node:util';
import { ConfigError } from '../config.ts';
import { type Arguments, type Command, exitCodes, Interrupted, programName, UsageError } from './command.ts';
import { commands } from './commands.ts';

/** What runs where no command is named: whoever types `npx` and a name wants to see it run. */
export const DEFAULT_COMMAND = 'serve';

/** Runs the command that the arguments name; the exit code. */
export async function runCommandLine(given: readonly string[]): Promise<number> {
  const args = given.length === 0 ? [DEFAULT_COMMAND] : given;
  let command: Command | undefined;
  try {
    const [first = ''] = args;
    if (['help', '--help', '-h'].includes(first)) return await showHelp(args.slice(1));
    if (first === '--version' || first === '-v') return await showVersion();
    command = requireCommand(args);
    const rest = args.slice(command.name.split(' ').length);
    if (asksForHelp(rest)) return await showHelp([command.name]);
    const read = readArguments(command, rest);
    const { run } = await command.load();
    return await run(read);
  } catch (error) {
    return report(error, command);
  }
}

async function showHelp(args: readonly string[]): Promise<number> {
  const { generalHelp, helpFor } = await import('./help.ts');
  process.stdout.write(args.length === 0 ? generalHelp() : await helpFor(requireCommand(args)));
  return exitCodes.done;
}

async function showVersion(): Promise<number> {
  const { readVersion } = await import('./version.ts');
  process.stdout.write(`${readVersion()}\n`);
  return exitCodes.done;
}

function requireCommand(args: readonly string[]): Command {
  const words = args.flatMap((word) => word.split(' '));
  const command = commands.find(({ name }) => name === words[0] || name === words.slice(0, 2).join(' '));
  if (command) return command;
  const [first = ''] = words;
  if (first.startsWith('-')) throw new UsageError(`unknown option ${first}`);
  const near = commands.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => `"${name}"`);
  throw new UsageError(near.length > 0 ? `"${first}" alone is no command; there is ${near.join(', ')}` : `unknown command "${first}"`);
}

function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end === -1 ? args : args.slice(0, end)).some((word) => word === '--help' || word === '-h');
}

function readArguments(command: Command, args: readonly string[]): Arguments {
  const options = Object.fromEntries(Object.entries(command.options).map(([name, { type }]) => [name, { type }]));
  const { values, positionals } = parsed(() => parseArgs({ args: [...args], options, allowPositionals: true, strict: true }));
  const isForm = command.positionalsUnless?.some((name) => values[name] !== undefined) === true;
  const expected = isForm ? [] : (command.positionals ?? []);
  const missing = expected[positionals.length];
  if (missing !== undefined) throw new UsageError(`<${missing}> is needed`);
  const extra = positionals[expected.length];
  if (extra !== undefined) throw new UsageError(`unexpected argument "${extra}"`);
  return { values: values as Arguments['values'], positionals };
}

function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (!code.startsWith('ERR_PARSE_ARGS')) throw error;
    // The first sentence says it; what follows is advice about parseArgs itself.
    const sentence = message.split('. ')[0] as string;
    throw new UsageError(sentence.charAt(0).toLowerCase() + sentence.slice(1).replaceAll("'", '"'));
  }
}

/** One line on standard error. The stack only for who debugs. */
function report(error: unknown, command: Command | undefined): number {
  const say = (text: string) => process.stderr.write(`commonplace: ${text}\n`);
  if (error instanceof UsageError) {
    say(`${error.message}; see "${[programName(), command?.name].filter(Boolean).join(' ')} --help"`);
    return exitCodes.misused;
  }
  if (error instanceof Interrupted) {
    say(error.message);
    return exitCodes.interrupted;
  }
  const debugs = ['debug', 'trace'].includes(process.env.COMMONPLACE_LOG_LEVEL ?? '');
  say(error instanceof Error && debugs && error.stack ? error.stack : messageOf(error));
  return error instanceof ConfigError ? exitCodes.misused : exitCodes.failed;
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || String((error as NodeJS.ErrnoException).code ?? error.name);
}
