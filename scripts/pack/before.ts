/** Before `npm pack` and `npm publish` of packages/server: builds it, and puts the published manifest in the place of the one of this repository. */
import { cpSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildServer } from './build.ts';
import { type Form, publishedManifest } from './manifest.ts';
import { writeNode } from './node.ts';
import { writeOnnxruntime } from './onnxruntime.ts';
import { manifestFile, restoreManifest, root, savedManifestFile, server } from './places.ts';
import { platformHere } from './platforms.ts';

// What a run that was killed left behind.
restoreManifest();
// A tarball of `npm pack` works by itself, here. From the registry, npm takes the packages for the platform.
const form: Form = { for: process.env.npm_command === 'publish' ? 'registry' : platformHere() };
await buildServer();
if (form.for !== 'registry') {
  await writeOnnxruntime(form.for, join(server, 'dist/onnxruntime'));
  writeNode(form.for, join(server, 'dist/node'));
}
cpSync(join(root, 'LICENSE'), join(server, 'dist/LICENSE'));
const manifest = publishedManifest(JSON.parse(readFileSync(manifestFile, 'utf8')), form);
const unfinished = `${manifestFile}.unfinished`;
writeFileSync(unfinished, `${JSON.stringify(manifest, null, 2)}\n`);
if (existsSync(savedManifestFile)) throw new Error(`${savedManifestFile} is there: somebody else packs`);
cpSync(manifestFile, savedManifestFile);
renameSync(unfinished, manifestFile);
