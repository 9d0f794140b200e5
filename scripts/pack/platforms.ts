/** The packages of the embedding runtime in dist/, one for each platform: published before the server, and only when onnxruntime-node changes. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { platforms, writePlatformPackage } from './onnxruntime.ts';
import { root } from './places.ts';

for (const platform of platforms) {
  const target = join(root, 'dist', `onnxruntime-${platform.os}-${platform.cpu}`);
  rmSync(target, { recursive: true, force: true });
  await writePlatformPackage(platform, target);
  process.stdout.write(`${target}\n`);
}
