/** The published form of the server: plain JavaScript with all that it needs, for a folder without this repository. */
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findModelDir } from '../../packages/server/src/search/embedding/model-files.ts';
import { bundleDashboard } from '../bundle-dashboard.ts';
import { bundleServer } from '../bundle-server.ts';
import { noticesOf } from './notices.ts';
import { root } from './places.ts';

export async function buildServer(target: string): Promise<void> {
  rmSync(target, { recursive: true, force: true });
  const modules = await bundleServer(target);
  const pages = await bundleDashboard(join(target, 'app/dashboard'));
  for (const file of ['onnx/model_quantized.onnx', 'tokenizer.json']) cpSync(join(findModelDir(), file), join(target, 'model', file));
  cpSync(join(root, 'LICENSE'), join(target, 'LICENSE'));
  writeFileSync(join(target, 'NOTICES'), noticesOf([...modules, ...pages, join(findModelDir(), 'tokenizer.json')]));
}
