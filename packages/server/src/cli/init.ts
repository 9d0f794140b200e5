/** `init`: an account where there is none, a workspace, an agent and an access key, printed so that a program or an editor can start with them. */
import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Setup } from '@commonplace/contract/users';
import { type Config, readConfig } from '../config.ts';
import { validate } from '../http/validation.ts';
import { type Arguments, exitCodes, programName, textOf, UsageError } from './command.ts';
import { isHeldByService } from './database.ts';
import { initInDatabase } from './init-in-database.ts';
import type { InitRequest, InitResult } from './init-plan.ts';
import { environmentFile, nextSteps, signIn } from './init-text.ts';
import { initThroughApi } from './init-through-api.ts';
import { readServiceUrl } from './service-url.ts';

export async function run(given: Arguments): Promise<number> {
  const file = given.values.write === true ? resolve('.env') : undefined;
  // Before anything is made, and once more by the kernel when it is written.
  if (file && existsSync(file)) throw new UsageError(`${file} exists and is never overwritten; leave out --write, and copy the lines`);
  const url = addressOf(given);
  const email = textOf(given, 'email');
  const made = await make(url, {
    email: email === undefined ? undefined : validate(Setup.pick({ email: true }), { email }).email,
    password: randomBytes(15).toString('base64url'),
    workspaceName: textOf(given, 'workspace') ?? 'My workspace',
    agentName: textOf(given, 'agent') ?? 'My agent',
    announce: (account, place) => void process.stderr.write(signIn(account, place)),
  });
  const lines = environmentFile(url.address, made);
  if (file) writeFileSync(file, lines, { flag: 'wx', mode: 0o600 });
  if (!file) process.stderr.write('Settings for programs, for a file named .env:\n\n');
  process.stdout.write(file ? `${file}\n` : lines);
  process.stderr.write(nextSteps({ url: url.address, made, file, program: programName() }));
  return exitCodes.done;
}

interface Address {
  readonly address: string;
  /** Whether it was named, and not taken from the settings of the service. */
  readonly isGiven: boolean;
}

function addressOf(given: Arguments): Address {
  const named = readServiceUrl(textOf(given, 'url'));
  return named === undefined ? { address: localUrlOf(readConfig(process.env)), isGiven: false } : { address: named, isGiven: true };
}

function localUrlOf({ publicUrl, host, port }: Config): string {
  return !process.env.COMMONPLACE_PUBLIC_URL?.trim() && (host === '0.0.0.0' || host === '::') ? `http://127.0.0.1:${port}` : publicUrl;
}

/** In the database where this machine has it; through the API where an address is given, or a running service has the data folder. */
async function make({ address, isGiven }: Address, request: InitRequest): Promise<InitResult> {
  if (isGiven) return initThroughApi(address, request);
  try {
    return await initInDatabase(request);
  } catch (error) {
    if (!isHeldByService(error)) throw error;
    return initThroughApi(address, request);
  }
}
