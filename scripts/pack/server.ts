/** `npm run pack:server`: the server for a registry, in dist/server. Published after the packages for the platforms. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './places.ts';
import { writeServerPackage } from './server-package.ts';

const target = join(root, 'dist/server');
rmSync(target, { recursive: true, force: true });
await writeServerPackage(target);
process.stdout.write(`${target}\n`);
