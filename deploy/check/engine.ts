/** The image by a container engine. */
import { randomBytes } from 'node:crypto';
import { mustRun, runCommand } from './commands.ts';
import type { BuiltImage, RunningImage } from './running-image.ts';

const ENGINES = ['docker', 'podman'];
const LIMITS = ['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'];

/** The first that is there and has a daemon, where it needs one. */
export async function findEngine(): Promise<string | undefined> {
  for (const engine of ENGINES) {
    if ((await runCommand([engine, 'info'])).code === 0) return engine;
  }
  return undefined;
}

export async function buildByEngine(engine: string): Promise<BuiltImage> {
  const run = randomBytes(4).toString('hex');
  const [tag, volume] = [`commonplace-check:${run}`, `commonplace-check-${run}`];
  await mustRun([engine, 'build', '--file', 'deploy/Dockerfile', '--tag', tag, '.']);
  const size = await mustRun([engine, 'image', 'inspect', '--format', '{{.Size}}', tag]);
  return {
    sizeBytes: Number(size.trim()),
    start: (settings) => startContainer(engine, ['--volume', `${volume}:/data`, tag], settings),
    [Symbol.asyncDispose]: async () => {
      await runCommand([engine, 'volume', 'rm', '--force', volume]);
      await runCommand([engine, 'image', 'rm', '--force', tag]);
    },
  };
}

async function startContainer(engine: string, image: readonly string[], settings: Readonly<Record<string, string>>): Promise<RunningImage> {
  const variables = Object.entries(settings).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
  const container = (await mustRun([engine, 'run', '--detach', ...LIMITS, '--publish', '127.0.0.1::8080', ...variables, ...image])).trim();
  const published = await mustRun([engine, 'port', container, '8080/tcp']);
  return {
    url: `http://127.0.0.1:${published.trim().split('\n')[0]?.split(':').at(-1)}`,
    run: (command) => runCommand([engine, 'exec', container, ...command]),
    stop: async () => {
      // It sends the image's own signal.
      await mustRun([engine, 'stop', '--time', '60', container]);
      const code = await mustRun([engine, 'inspect', '--format', '{{.State.ExitCode}}', container]);
      const logged = await runCommand([engine, 'logs', container]);
      await mustRun([engine, 'rm', '--force', container]);
      return { ...logged, code: Number(code.trim()) };
    },
  };
}
