/** The server as it is published to a registry: for every platform, of which npm takes the packages that fit. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildServer } from './build.ts';
import { publishedManifest } from './manifest.ts';
import { manifestFile, server } from './places.ts';

export async function writeServerPackage(target: string): Promise<void> {
  await buildServer(join(target, 'dist'));
  cpSync(join(server, 'bin'), join(target, 'bin'), { recursive: true });
  const manifest = publishedManifest(JSON.parse(readFileSync(manifestFile, 'utf8')), 'all');
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}
