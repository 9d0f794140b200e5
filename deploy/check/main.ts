/**
 * `npm run check:image`: builds the image and holds a container of it against what it promises. By a container engine where one
 * answers; where not, on Debian as root, by the Dockerfile's own steps in a bare root.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canUseDebianRoot, debianRoot } from '../../packages/server/test/debian-root.ts';
import { buildStages } from './bare-build.ts';
import { asBuiltImage } from './bare-run.ts';
import { runCommand } from './commands.ts';
import { imageSettings, readDockerfile } from './dockerfile.ts';
import { buildByEngine, findEngine } from './engine.ts';
import { checkImage } from './image.ts';
import { deployFolder } from './places.ts';
import type { BuiltImage } from './running-image.ts';

const IN_NAMESPACE = '--in-a-mount-namespace';
const say = (line: string) => process.stdout.write(`${line}\n`);

async function check(how: string, build: () => Promise<BuiltImage>): Promise<void> {
  const startMs = performance.now();
  await using image = await build();
  say(`built ${how} in ${((performance.now() - startMs) / 1000).toFixed(1)} s`);
  await checkImage(image, say);
}

async function checkInBareRoot(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'commonplace-image-'));
  // Whatever is mounted goes with this namespace, after the process; so the folder is removed by the one outside.
  say(`folder: ${folder}`);
  const stages = readDockerfile(readFileSync(join(deployFolder, 'Dockerfile'), 'utf8'));
  await check("by the Dockerfile's steps in a bare root", async () =>
    asBuiltImage(await buildStages(stages, folder), imageSettings(stages.at(-1) as (typeof stages)[number]), folder),
  );
}

/** Mounts and processes in there end with its first process, however that ends. */
async function enterNamespace(): Promise<number> {
  // Before: builders of the cache know each other by their process ids.
  await debianRoot();
  const inside = [process.execPath, import.meta.filename, IN_NAMESPACE];
  const { code, stdout, stderr } = await runCommand(['unshare', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc', ...inside]);
  const [first, ...lines] = stdout.split('\n');
  if (first?.startsWith('folder: ')) rmSync(first.slice('folder: '.length), { recursive: true, force: true });
  process.stdout.write(lines.join('\n'));
  process.stderr.write(stderr);
  return code ?? 1;
}

if (process.argv.includes(IN_NAMESPACE)) await checkInBareRoot();
else {
  const engine = await findEngine();
  if (engine) await check(`by ${engine}`, () => buildByEngine(engine));
  else if (canUseDebianRoot()) process.exitCode = await enterNamespace();
  else {
    process.stderr.write('Nothing here can build the image: start a container engine, or run as root on Debian.\n');
    process.exitCode = 1;
  }
}
