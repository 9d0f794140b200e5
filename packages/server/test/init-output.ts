/** What `commonplace init` printed, read as a program, an editor and a person read it. */
import { parseEnv } from 'node:util';
import { expect } from 'vitest';
import type { Ended } from '../src/cli/spawn-for-test.ts';

/** What `.env` says; everything on standard output is of it. */
export function settingsIn({ code, stdout, stderr }: Ended): Record<string, string> {
  expect(code, stderr).toBe(0);
  for (const line of stdout.trimEnd().split('\n')) expect(line).toMatch(/^COMMONPLACE_[A-Z_]+=\S+$/);
  return { ...parseEnv(stdout) } as Record<string, string>;
}

export function mcpIn({ stderr }: Ended): { command: string; args: string[]; env: Record<string, string> } {
  return JSON.parse(stderr.slice(stderr.indexOf('{\n'), stderr.lastIndexOf('}\n') + 1)).mcpServers.commonplace;
}

export function passwordIn({ stderr }: Ended): string | undefined {
  return /^ {2}password {8}(\S+)$/m.exec(stderr)?.[1];
}
