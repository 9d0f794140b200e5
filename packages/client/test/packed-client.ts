/** The client as it is published: packed, and installed in a folder without this repository. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPackage } from '../../../scripts/build-packages.ts';

export interface PackedClient {
  /** The folder of a user: nothing but the package in it. */
  readonly user: string;
  readonly installed: string;
  remove(): void;
}

export function installPackedClient(): PackedClient {
  const folder = mkdtempSync(join(tmpdir(), 'commonplace-package-'));
  const [built, user] = [join(folder, 'built'), join(folder, 'user')];
  buildPackage('client', built);
  const said = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder, built], { encoding: 'utf8' });
  const archive = join(folder, said.trim().split('\n').at(-1) as string);
  mkdirSync(user);
  writeFileSync(join(user, 'package.json'), '{"private":true,"type":"module"}');
  execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', '--silent', archive], { cwd: user });
  return {
    user,
    installed: join(user, 'node_modules/@commonplace/client'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
