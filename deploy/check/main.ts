/**
 * `npm run check:image`: builds the image and holds a container of it against what it promises. By a container engine where one
 * answers; where not, on Debian as root, by the Dockerfile's own steps in a bare root.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../../packages/server/test/cluster.ts';
import { canUseDebianRoot, debianRoot } from '../../packages/server/test/debian-root.ts';
import { buildStages } from './bare-build.ts';
import { asBuiltImage } from './bare-run.ts';
import { runCommand } from './commands.ts';
import { imageSettings, readDockerfile, type Stage } from './dockerfile.ts';
import { buildByEngine, findEngine } from './engine.ts';
import { checkImage } from './image.ts';
import { deployFolder } from './places.ts';
import type { BuiltImage } from './running-image.ts';

const PREFIX = 'commonplace-image-';
const say = (line: string) => process.stdout.write(`${line}\n`);

async function check(how: string, build: () => Promise<BuiltImage>): Promise<void> {
  const startMs = performance.now();
  await using image = await build();
  say(`built ${how} in ${((performance.now() - startMs) / 1000).toFixed(1)} s`);
  await checkImage(image, say);
}

async function checkInBareRoot(folder: string): Promise<void> {
  const stages = readDockerfile(readFileSync(join(deployFolder, 'Dockerfile'), 'utf8'));
  await check("by the Dockerfile's steps in a bare root", async () =>
    asBuiltImage(await buildStages(stages, folder), imageSettings(stages.at(-1) as Stage), folder),
  );
}

/** Mounts and processes in there end with its first process, however that ends; so the folder is removed out here. */
async function enterNamespace(): Promise<number> {
  // Before: builders of the cache know each other by their process ids.
  await debianRoot();
  removeLeftovers();
  const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  try {
    const inside = [process.execPath, import.meta.filename, folder];
    const { code, stdout, stderr } = await runCommand(['unshare', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc', ...inside]);
    process.stdout.write(stdout);
    process.stderr.write(stderr);
    return code ?? 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Of runs that were killed: a gigabyte each. */
function removeLeftovers(): void {
  for (const name of readdirSync(tmpdir()).filter((each) => each.startsWith(PREFIX))) {
    if (!isAlive(Number.parseInt(name.slice(PREFIX.length), 10))) rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
}

const [folder] = process.argv.slice(2);
const engine = folder === undefined ? await findEngine() : undefined;
if (folder !== undefined) await checkInBareRoot(folder);
else if (engine) await check(`by ${engine}`, () => buildByEngine(engine));
else if (canUseDebianRoot()) process.exitCode = await enterNamespace();
else {
  process.stderr.write('Nothing here can build the image: start a container engine, or run as root on Debian.\n');
  process.exitCode = 1;
}
