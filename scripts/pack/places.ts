/** Where packing works. */
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));
export const server = join(root, 'packages/server');
export const manifestFile = join(server, 'package.json');
/** This repository's, while the published one is in its place. */
export const savedManifestFile = join(server, 'package.repository.json');

export function restoreManifest(): void {
  if (existsSync(savedManifestFile)) renameSync(savedManifestFile, manifestFile);
}
