/** The packages for each platform in dist/: published before the server, and only when onnxruntime-node or Node changes. */
import { rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { nodePackageOf, writeNodePackage } from './node.ts';
import { onnxruntimePackageOf, writeOnnxruntimePackage } from './onnxruntime.ts';
import { root } from './places.ts';
import { platforms } from './platforms.ts';

for (const platform of platforms) {
  await writeOnnxruntimePackage(platform, emptyFolder(onnxruntimePackageOf(platform)));
  writeNodePackage(platform, emptyFolder(nodePackageOf(platform)));
}

function emptyFolder(packageName: string): string {
  const folder = join(root, 'dist', basename(packageName));
  rmSync(folder, { recursive: true, force: true });
  process.stdout.write(`${folder}\n`);
  return folder;
}
