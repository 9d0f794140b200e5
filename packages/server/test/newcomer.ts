/** Whoever is new to the service: a machine with its own Node and npm, an empty home, nothing of this repository, and no network. */
import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NOWHERE = 'http://127.0.0.1:1';
const guard = fileURLToPath(new URL('no-network.cjs', import.meta.url));
const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));

/** Whether the service can't run on the machine's own Node. CI has such a one: without it, half of this would not be tested. */
export const hasOlderNode = (() => {
  const node = path.map((folder) => join(folder, 'node')).find((file) => existsSync(file)) ?? process.execPath;
  const isOlder = Number.parseInt(execFileSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' }), 10) < 26;
  if (process.env.CI && !isOlder) throw new Error(`${node} is no older Node than the service runs on, and tests of packages need one`);
  return isOlder;
})();

/** Whoever connects to another machine all the same is written down in `noNetworkLog`. npm has the registry that is named, or none. */
export function newcomerEnvironment(home: string, { registry = NOWHERE, nodeFolder = '' } = {}): Record<string, string> {
  return {
    PATH: [...(nodeFolder ? [nodeFolder] : []), ...path].join(delimiter),
    HOME: home,
    npm_config_cache: join(home, '.npm'),
    npm_config_registry: registry,
    npm_config_update_notifier: 'false',
    ...Object.fromEntries(['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].map((name) => [name, NOWHERE])),
    ...Object.fromEntries(['NO_PROXY', 'no_proxy'].map((name) => [name, '127.0.0.1'])),
    NODE_OPTIONS: `--require=${guard}`,
    NO_NETWORK_LOG: noNetworkLog(home),
  };
}

export function noNetworkLog(home: string): string {
  return join(home, 'connections.log');
}

/** As `du` counts: the blocks of every file, one with several names once. */
export function sizeOnDisk(folder: string): number {
  const seen = new Set<number>();
  let bytes = 0;
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const { ino, blocks } = lstatSync(join(folder, name));
    if (!seen.has(ino)) bytes += blocks * 512;
    seen.add(ino);
  }
  return bytes;
}
