/** A Debian with PostgreSQL 17 and pgvector in a cache folder: for machines that have neither those nor Docker. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cachedFolder, runProgram } from './cached-folder.ts';
import type { Binaries } from './cluster.ts';

const BIN = '/usr/lib/postgresql/17/bin';
const SUITE = 'trixie';
const PACKAGES = 'postgresql-17,postgresql-17-pgvector';

export function canUseDebianRoot(): boolean {
  return process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/etc/debian_version');
}

const isWhole = (root: string) =>
  existsSync(join(root, BIN, 'postgres')) && existsSync(join(root, 'usr/share/postgresql/17/extension/vector.control'));

/** The root folder, built first where it is missing: that takes a minute or two and 700 MB. */
export async function debianRoot(): Promise<Binaries> {
  const root = await cachedFolder('postgres-17', isWhole, async (unfinished) => {
    if (!existsSync('/usr/sbin/debootstrap')) {
      await runProgram('apt-get', ['update', '-q']);
      await runProgram('apt-get', ['install', '-q', '-y', '--no-install-recommends', 'debootstrap']);
    }
    await runProgram('debootstrap', ['--variant=minbase', `--include=${PACKAGES}`, SUITE, unfinished]);
  });
  return { bin: BIN, root };
}
