/** Before `npm pack` of packages/server: builds it for this platform, and puts the published manifest in the place of the one of this repository. */
import { cpSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tryServer } from '../try-server.ts';
import { buildServer } from './build.ts';
import { publishedManifest } from './manifest.ts';
import { writeNode } from './node.ts';
import { writeOnnxruntime } from './onnxruntime.ts';
import { manifestFile, restoreManifest, savedManifestFile, server } from './places.ts';
import { platformHere } from './platforms.ts';

// npm would send this repository's manifest, which it reads again afterwards.
if (process.env.npm_command === 'publish') throw new Error('Publish the folder that `npm run pack:server` makes');
// What a run that was killed left behind.
restoreManifest();
const here = platformHere();
await buildServer(join(server, 'dist'));
await writeOnnxruntime(here, join(server, 'dist/onnxruntime'));
writeNode(here, join(server, 'dist/node'));
await tryServer(join(server, 'dist/app/main.js'), join(server, 'dist/node/bin/node'));
const manifest = publishedManifest(JSON.parse(readFileSync(manifestFile, 'utf8')), here);
const unfinished = `${manifestFile}.unfinished`;
writeFileSync(unfinished, `${JSON.stringify(manifest, null, 2)}\n`);
if (existsSync(savedManifestFile)) throw new Error(`${savedManifestFile} is there: somebody else packs`);
cpSync(manifestFile, savedManifestFile);
renameSync(unfinished, manifestFile);
