/** A package registry with nothing but what a test puts into it. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';

const LARGEST_ARCHIVE_BYTES = 1e9;

interface Manifest {
  readonly name: string;
  readonly version: string;
}

export interface LoopbackRegistry {
  readonly url: string;
  /** The packages whose archives were asked for, in order. */
  readonly delivered: string[];
}

/** Serves the packages in the folders named `package` that these hold, and 404 for all others. */
export async function serveRegistry(folders: readonly string[], withoutArchives: readonly Manifest[] = []): Promise<LoopbackRegistry> {
  const packages = new Map(folders.map(archiveOf).map((each) => [each.manifest.name, each]));
  for (const manifest of withoutArchives) packages.set(manifest.name, { manifest, archive: Buffer.of(), integrity: '' });
  const delivered: string[] = [];
  const server = createServer((request, response) => {
    const [name = '', file] = decodeURIComponent(request.url ?? '')
      .slice(1)
      .split('/-/');
    const found = packages.get(name);
    if (!found) return void response.writeHead(404).end('{}');
    if (file) {
      delivered.push(name);
      return void response.end(found.archive);
    }
    const { manifest, integrity } = found;
    const dist = { tarball: `${urlOf()}/${name}/-/archive.tgz`, integrity };
    const { version } = manifest;
    const answer = { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  const urlOf = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: urlOf(), delivered };
}

function archiveOf(folder: string): { manifest: Manifest; archive: Buffer; integrity: string } {
  const manifest = JSON.parse(readFileSync(join(folder, 'package/package.json'), 'utf8')) as Manifest;
  const files = execFileSync('tar', ['-cf', '-', '-C', folder, 'package'], { maxBuffer: LARGEST_ARCHIVE_BYTES });
  const archive = gzipSync(files, { level: 1 });
  return { manifest, archive, integrity: `sha512-${createHash('sha512').update(archive).digest('base64')}` };
}
