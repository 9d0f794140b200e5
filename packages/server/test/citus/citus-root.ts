/** Citus built from a source tree against Debian's PostgreSQL 17, in a root folder of its own in the cache. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cachedFolder, runProgram } from '../cached-folder.ts';
import type { Binaries } from '../cluster.ts';
import { debianRoot } from '../debian-root.ts';

const PACKAGES = [
  ...['postgresql-server-dev-17', 'gcc', 'make', 'flex', 'bison', 'libssl-dev', 'libkrb5-dev', 'libselinux1-dev', 'libxslt1-dev'],
  ...['libpam0g-dev', 'libreadline-dev', 'zlib1g-dev', 'libxml2-dev', 'libzstd-dev', 'liblz4-dev', 'libicu-dev'],
];
const LIBRARY = 'usr/lib/postgresql/17/lib/citus.so';

const isWhole = (root: string) =>
  existsSync(join(root, LIBRARY)) && existsSync(join(root, 'usr/share/postgresql/17/extension/citus.control'));

/** The root folder, made first where it is missing: a copy of the Debian root with Citus in it. Three minutes of processor time. */
export async function citusRoot(source: string): Promise<Binaries> {
  const version = versionOf(source);
  const { bin, root: debian } = await debianRoot();
  const root = await cachedFolder(`citus-${version}-postgres-17`, isWhole, async (unfinished) => {
    console.log(`Tests: building Citus ${version} from ${source}; this takes some minutes, once`);
    // Not by a copy of files alone: the root has devices.
    execFileSync('cp', ['--archive', debian as string, unfinished]);
    cpSync('/etc/resolv.conf', join(unfinished, 'etc/resolv.conf'), { dereference: true });
    await runProgram('chroot', [unfinished, 'apt-get', 'update', '-q']);
    await runProgram('chroot', [unfinished, 'apt-get', 'install', '-q', '-y', '--no-install-recommends', ...PACKAGES]);
    const build = join(unfinished, 'tmp/citus');
    rmSync(build, { recursive: true, force: true });
    mkdirSync(build, { recursive: true });
    cpSync(source, build, { recursive: true, verbatimSymlinks: true });
    // As new as what it was made from: otherwise make wants to make it again.
    const steps = 'cd /tmp/citus && touch configure && ./configure --without-libcurl && make -s -j2 all && make -s install';
    await runProgram('chroot', [unfinished, 'sh', '-c', steps]);
    rmSync(build, { recursive: true, force: true });
  });
  return { bin, root };
}

function versionOf(source: string): string {
  const script = join(source, 'configure');
  if (!existsSync(script)) throw new Error(`CITUS_SOURCE names ${source}, which has no "configure" of Citus`);
  const version = /PACKAGE_VERSION='([\w.]+)'/.exec(readFileSync(script, 'utf8'))?.[1];
  if (!version) throw new Error(`No version of Citus can be read from ${script}`);
  return version;
}
