/** What a command is, and what its module is given. */
import { existsSync } from 'node:fs';
import { npxTarget } from './npx-cache.ts';

export interface Option {
  readonly type: 'string' | 'boolean';
  /** What stands for the value in the help. */
  readonly value?: string;
  readonly help: string;
}

export interface Arguments {
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  readonly positionals: readonly string[];
}

export interface Command {
  /** One word, or two: `user create`. */
  readonly name: string;
  readonly summary: string;
  /** What may follow the name, a line for each form. */
  readonly usage: readonly string[];
  /** Arguments without a name, all of them needed. */
  readonly positionals?: readonly string[];
  /** Options that stand in for those arguments. */
  readonly positionalsUnless?: readonly string[];
  readonly options: Readonly<Record<string, Option>>;
  readonly notes?: readonly string[];
  /** Whether the help lists the settings of the environment. */
  readonly showsSettings?: boolean;
  /** Loaded only when the command runs. */
  load(): Promise<{ run(given: Arguments): Promise<number> }>;
}

/** Called in a way that can't be meant; the message says which. Exit code 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** Ended by the person at the terminal. */
export class Interrupted extends Error {
  constructor() {
    super('interrupted; nothing was changed');
    this.name = 'Interrupted';
  }
}

export const exitCodes = { done: 0, failed: 1, misused: 2, interrupted: 130 } as const;

/** How the reader of a message started this program, and can start it again. */
export function programName(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  const { npm_lifecycle_event: startedBy } = environment;
  if (startedBy === undefined) return 'commonplace';
  // Only the repository has that script; others name theirs as they like.
  if (startedBy !== 'npx' && isRepository()) return 'npm run cli --';
  return `npx ${npxTarget() ?? 'commonplace'}`;
}

/** From the sources as from a bundle of them; what is published has none. */
function isRepository(): boolean {
  return existsSync(new URL('../../src/main.ts', import.meta.url));
}

export function textOf(given: Arguments, name: string): string | undefined {
  const value = given.values[name];
  return typeof value === 'string' ? value : undefined;
}

export function requireText(given: Arguments, name: string): string {
  const value = textOf(given, name);
  if (value === undefined) throw new UsageError(`--${name} is needed`);
  return value;
}
