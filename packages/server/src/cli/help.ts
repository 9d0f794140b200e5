/** Help, made from the table of commands. */
import { type Command, programName } from './command.ts';
import { commands } from './commands.ts';
import { readVersion } from './version.ts';

export function generalHelp(): string {
  const program = programName();
  return paragraphs(
    `Commonplace ${readVersion()}: sessions, memories, prompts and knowledge for AI agents, behind one REST API.`,
    `Usage: ${program} [command] [options]`,
    `Commands (default: serve):\n${columns(commands.map(({ name, summary }) => [name, summary]))}`,
    `Options:\n${columns([
      ['--help', 'This text; after a command, more about the command.'],
      ['--version', 'The version of this program.'],
    ])}`,
    `Settings come from the environment; "${program} serve --help" lists them.`,
  );
}

export async function helpFor(command: Command): Promise<string> {
  const forms = command.usage.map((form) => `${programName()} ${command.name} ${form}`.trimEnd());
  const options = Object.entries(command.options).map(([name, option]): [string, string] => [
    option.value ? `--${name} <${option.value}>` : `--${name}`,
    option.help,
  ]);
  return paragraphs(
    `${command.summary}.`,
    `Usage: ${forms.join('\n       ')}`,
    `Options:\n${columns([...options, ['--help', 'This text.']])}`,
    ...(command.notes ?? []),
    ...(command.showsSettings ? [await settingsHelp()] : []),
  );
}

async function settingsHelp(): Promise<string> {
  const { settings } = await import('../config.ts');
  const entries = settings.map(
    ({ name, allowed, fallback, meaning }) => `  ${name}\n      ${meaning}\n      Allowed: ${allowed}. Default: ${fallback}.`,
  );
  return `Settings, from the environment:\n${entries.join('\n')}`;
}

function paragraphs(...texts: string[]): string {
  return `${texts.join('\n\n')}\n`;
}

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}
