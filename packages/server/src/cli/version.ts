import { readFileSync } from 'node:fs';

/** What this program's package says of itself. */
export function readPackage(): { readonly name: string; readonly version: string } {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { name: string; version: string };
}

export function readVersion(): string {
  return readPackage().version;
}
