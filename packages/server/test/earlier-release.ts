/** The release before this one, taken from the history of the repository: the two must work side by side while nodes are replaced. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cachedPackages } from './cached-packages.ts';

/** The last release that must work beside this one. Set it to the commit of each release when it is made. */
export const EARLIER_RELEASE = 'faa1310568d1c53a6809aba9df20722faedc4ee6';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../..', import.meta.url));
/** What the service runs on of this repository's own. */
const packages = ['client', 'contract', 'english', 'server'];

const git = async (...args: string[]) => (await run('git', ['-C', repository, ...args], { timeout: 120_000 })).stdout.trim();

/** Whether the commit is here, by now: a clone without history fetches this one commit, or what lies between, where it can. */
export async function hasEarlierRelease(): Promise<boolean> {
  const isHere = () =>
    git('cat-file', '-e', `${EARLIER_RELEASE}^{commit}`).then(
      () => true,
      () => false,
    );
  if ((await isHere()) || (await git('rev-parse', '--is-shallow-repository').catch(() => '')) !== 'true') return isHere();
  await git('fetch', '--quiet', '--depth=1', 'origin', EARLIER_RELEASE).catch(() => undefined);
  if (!(await isHere())) await git('fetch', '--quiet', '--deepen=1000', 'origin').catch(() => undefined);
  return isHere();
}

/** For the output of the tests, in one line. */
export async function describeHistory(): Promise<string> {
  const isShallow = await git('rev-parse', '--is-shallow-repository').catch(() => 'no repository');
  return `the clone is ${isShallow === 'true' ? 'shallow' : isShallow === 'false' ? 'whole' : 'no repository'}`;
}

/** Its program, with the packages that are installed now and those that were given up since; the path of what `node` starts. */
export async function unpackEarlierRelease(folder: string): Promise<string> {
  const archive = join(folder, 'release.tar');
  await git('archive', `--output=${archive}`, EARLIER_RELEASE, 'package.json', ...packages.map((name) => `packages/${name}`));
  await run('tar', ['--extract', `--file=${archive}`, `--directory=${folder}`]);
  const installed = join(repository, 'node_modules');
  const own = join(folder, 'node_modules/@commonplace');
  await mkdir(own, { recursive: true });
  for (const name of await readdir(installed))
    if (name !== '@commonplace') await symlink(join(installed, name), join(folder, 'node_modules', name));
  for (const name of packages) await symlink(join(folder, 'packages', name), join(own, name));
  await linkGivenUpPackages(join(folder, 'packages/server'), installed);
  return join(folder, 'packages/server/src/main.ts');
}

async function linkGivenUpPackages(server: string, installed: string): Promise<void> {
  const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(await readFile(join(server, 'package.json'), 'utf8'));
  const givenUp = Object.entries(dependencies).filter(([name]) => !name.startsWith('@commonplace/') && !existsSync(join(installed, name)));
  const last = givenUp.at(-1)?.[0];
  if (last === undefined) return;
  const title = `earlier-release-${EARLIER_RELEASE.slice(0, 7)}-${givenUp.map(([name]) => name.replace(/\W+/g, '-')).join('')}`;
  const cached = await cachedPackages(title, Object.fromEntries(givenUp), join(last, 'package.json'));
  for (const [name] of givenUp) {
    const link = join(server, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(cached, 'node_modules', name), link);
  }
}
