/** Where the file of a thread is: TypeScript as it is, JavaScript once it is built. */
import { extname } from 'node:path';

/** `moduleBeside(import.meta.url, 'chunking')`: the module of that name beside the one that asks. */
export function moduleBeside(importMetaUrl: string, name: string): URL {
  return new URL(`./${name}${extname(importMetaUrl)}`, importMetaUrl);
}
