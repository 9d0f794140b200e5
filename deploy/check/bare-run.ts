/** Runs the image's command in its folder as a container would: alone in its namespaces, as the image's user, the root file system read-only. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../packages/server/test/cluster.ts';
import { mustRun, runCommand } from './commands.ts';
import type { ImageSettings } from './dockerfile.ts';
import type { BuiltImage, RunningImage } from './running-image.ts';

/** Places that an engine makes in every container. */
const MOUNT_POINTS = ['proc', 'dev', 'tmp'];

const SCRIPT = `
set -eu
root=$1; volumes=$2; shift 2
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
for volume in $(ls "$volumes"); do mount --bind "$volumes/$volume" "$root/$volume"; done
mount -o remount,ro,bind "$root"
exec /usr/bin/setpriv --no-new-privs "$@"
`;

export async function asBuiltImage(root: string, image: ImageSettings, folder: string): Promise<BuiltImage> {
  const kilobytes = Number.parseInt(await mustRun(['du', '-sk', root]), 10);
  for (const name of MOUNT_POINTS) mkdirSync(join(root, name), { recursive: true });
  const volumes = join(folder, 'volumes');
  for (const path of image.volumes) {
    const place = join(volumes, path);
    mkdirSync(place, { recursive: true });
    chownSync(place, image.user.uid, image.user.gid);
  }
  return {
    sizeBytes: kilobytes * 1024,
    start: (settings) => start(root, volumes, image, settings),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

async function start(
  root: string,
  volumes: string,
  image: ImageSettings,
  settings: Readonly<Record<string, string>>,
): Promise<RunningImage> {
  const port = await freePort();
  const environment = { ...image.environment, ...settings, COMMONPLACE_HOST: '127.0.0.1', COMMONPLACE_PORT: String(port) };
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const { uid, gid } = image.user;
  const who = [`--setuid=${uid}`, `--setgid=${gid}`];
  const inRoot = ['/usr/bin/unshare', `--root=${root}`, `--wd=${image.workingFolder}`, ...who];
  const command = ['/usr/bin/env', '-i', ...variables, ...inRoot, ...image.command];
  const child = spawn('unshare', ['--mount', '--pid', '--fork', '--kill-child', '/bin/sh', '-c', SCRIPT, 'sh', root, volumes, ...command], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text;
    });
  }
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...said }));
  /** The first process of the namespace: shell, then service, in one process. */
  const service = () => Number.parseInt(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8'), 10);
  return {
    url: `http://127.0.0.1:${port}`,
    run: (inside) =>
      runCommand(['/usr/bin/nsenter', `--target=${service()}`, '--mount', '--pid', '--root', '--wd', ...who, ...inside], environment),
    stop: async () => {
      process.kill(service(), image.stopSignal);
      return ended;
    },
  };
}
