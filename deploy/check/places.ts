/** Where the files of this folder are. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const deployFolder = fileURLToPath(new URL('../', import.meta.url));
export const repository = join(deployFolder, '..');
