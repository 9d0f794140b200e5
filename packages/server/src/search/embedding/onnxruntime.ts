/** The runtime of the model: what was packed with the program, the package for this platform, or onnxruntime-node with all platforms. */
import { createRequire } from 'node:module';
import { EmbedderUnusable } from './embedder.ts';

export type Onnxruntime = typeof import('onnxruntime-node');

const platform = `${process.platform}-${process.arch}`;
const places = ['../onnxruntime/lib/index.cjs', `@commonplace/onnxruntime-${platform}`, 'onnxruntime-node'];

export function loadOnnxruntime(): Onnxruntime {
  const require = createRequire(import.meta.url);
  const found = places.find((place) => isInstalled(require, place));
  if (found === undefined) throw new EmbedderUnusable(`There is no runtime of the embedding model for ${platform}; reinstall the service.`);
  try {
    return require(found) as Onnxruntime;
  } catch (cause) {
    throw new EmbedderUnusable(`The runtime of the embedding model can't be loaded on ${platform}: ${(cause as Error).message}`, { cause });
  }
}

function isInstalled(require: NodeJS.Require, place: string): boolean {
  try {
    require.resolve(place);
    return true;
  } catch {
    return false;
  }
}
