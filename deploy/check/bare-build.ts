/** The Dockerfile's own steps without an engine: each stage is a folder that is entered by chroot. Runs as root in a mount namespace of its own. */
import { chownSync, cpSync, existsSync, mkdirSync, readFileSync, realpathSync, statSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, matchesGlob, relative } from 'node:path';
import { debianRoot } from '../../packages/server/test/debian-root.ts';
import { findPrograms } from '../../packages/server/test/programs.ts';
import { mustRun, runCommand } from './commands.ts';
import { type Instruction, readPairs, type Stage } from './dockerfile.ts';
import { repository } from './places.ts';

/** What an engine takes from the machine for a build: names, and who signs for the registry. */
const LENT = ['/etc/resolv.conf', '/etc/hosts', '/etc/ssl/certs'];
const PASSED_ON = /^(https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR)$/i;
const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The folder of the last stage. */
export async function buildStages(stages: readonly Stage[], folder: string): Promise<string> {
  const built = new Map<string, string>();
  let root = '';
  for (const [index, stage] of stages.entries()) {
    root = join(folder, stage.name ?? String(index));
    await prepareBase(stage.base, root);
    await runSteps(stage, root, built);
    built.set(stage.name ?? String(index), root);
  }
  return root;
}

async function prepareBase(base: string, root: string): Promise<void> {
  mkdirSync(root, { recursive: true });
  if (base === 'scratch') return;
  if (!/^node:\d+-trixie-slim$/.test(base)) throw new Error(`No root is known that stands in for ${base}`);
  await mountDebian(root);
  copyNpm(root);
}

/** The tests' Debian, on top of which this writes; a copy of it where the machine can't lay one folder over another. */
async function mountDebian(root: string): Promise<void> {
  const debian = (await debianRoot()).root as string;
  for (const part of ['upper', 'work']) mkdirSync(`${root}.${part}`);
  const layers = `lowerdir=${debian},upperdir=${root}.upper,workdir=${root}.work`;
  const { code } = await runCommand(['mount', '-t', 'overlay', 'overlay', '-o', layers, root]);
  if (code !== 0) await mustRun(['cp', '-a', `${debian}/.`, root]);
  await mustRun(['mount', '-t', 'proc', 'proc', join(root, 'proc')]);
  await mustRun(['mount', '--rbind', '/dev', join(root, 'dev')]);
  for (const path of LENT) {
    if (!existsSync(path)) continue;
    await mustRun(statSync(path).isDirectory() ? ['mkdir', '-p', root + path] : ['touch', root + path]);
    await mustRun(['mount', '--bind', path, root + path]);
  }
}

/** Node and npm of this machine, in the places where the image of Node has them. */
function copyNpm(root: string): void {
  const isOutside = (path: string) => !path.includes('node_modules/.bin');
  const node = findPrograms('node').find(isOutside);
  const npm = findPrograms('npm').find(isOutside);
  if (!node || !npm) throw new Error('There is no Node with npm on this machine');
  const place = join(root, 'usr/local');
  const modules = dirname(dirname(realpathSync(npm)));
  cpSync(node, join(place, 'bin/node'), { dereference: true });
  cpSync(modules, join(place, 'lib/node_modules/npm'), { recursive: true });
  for (const name of ['npm', 'npx']) symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(place, 'bin', name));
}

async function runSteps(stage: Stage, root: string, built: ReadonlyMap<string, string>): Promise<void> {
  let workingFolder = '/';
  const environment: Record<string, string> = { PATH: SYSTEM_PATH, HOME: '/root', DEBIAN_FRONTEND: 'noninteractive' };
  for (const [name, value] of Object.entries(process.env)) if (PASSED_ON.test(name) && value) environment[name] = value;
  for (const instruction of stage.instructions) {
    if (instruction.name === 'WORKDIR') {
      workingFolder = instruction.text;
      mkdirSync(join(root, workingFolder), { recursive: true });
    } else if (instruction.name === 'ENV') Object.assign(environment, readPairs(instruction.text));
    else if (instruction.name === 'COPY') copy(instruction, join(root, workingFolder), root, built);
    else if (instruction.name === 'RUN') await runStep(instruction, root, workingFolder, environment);
  }
}

async function runStep({ flags, text }: Instruction, root: string, workingFolder: string, environment: Record<string, string>) {
  const cache = flags.mount && (/^type=cache,target=(\S+)$/.exec(flags.mount)?.[1] ?? unknown(`--mount=${flags.mount}`));
  if (cache) await mountCache(join(root, cache));
  await mustRun(['chroot', root, '/bin/sh', '-c', `cd ${workingFolder} && ${text}`], environment);
  if (cache) await mustRun(['umount', join(root, cache)]);
}

/** The cache of this machine's npm has the packages already. */
async function mountCache(target: string): Promise<void> {
  const cache = (await mustRun(['npm', 'config', 'get', 'cache'])).trim();
  mkdirSync(cache, { recursive: true });
  mkdirSync(target, { recursive: true });
  await mustRun(['mount', '--bind', cache, target]);
}

/** Of a folder its contents, as an engine does; what comes from the repository belongs to root. */
function copy({ flags, text }: Instruction, workingFolder: string, root: string, built: ReadonlyMap<string, string>): void {
  const words = text.split(/\s+/);
  const target = words.pop() as string;
  const place = target.startsWith('/') ? join(root, target) : join(workingFolder, target);
  const from = flags.from === undefined ? repository : (built.get(flags.from) ?? unknown(`--from=${flags.from}`));
  const isKept = flags.from === undefined ? notIgnored() : () => true;
  for (const word of words) {
    const source = join(from, word);
    const isFolder = statSync(source).isDirectory();
    const to = isFolder || !target.endsWith('/') ? place : join(place, basename(word));
    cpSync(source, to, { recursive: true, verbatimSymlinks: true, filter: (path) => isKept(relative(from, path)) });
    if (flags.chown) chownSync(to, ...(flags.chown.split(':').map(Number) as [number, number]));
  }
}

function notIgnored(): (path: string) => boolean {
  const patterns = readFileSync(join(repository, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line && !line.startsWith('#'));
  if (patterns.some((pattern) => pattern.startsWith('!'))) unknown('! in .dockerignore');
  return (path) => !patterns.some((pattern) => matchesGlob(path, pattern));
}

function unknown(what: string): never {
  throw new Error(`The Dockerfile's steps are not known to work with ${what} outside of an engine`);
}
