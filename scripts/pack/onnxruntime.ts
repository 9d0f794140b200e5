/** The part of onnxruntime-node that one platform needs: 45 MB of its 290. */
import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'rolldown';
import { noticesOf } from './notices.ts';
import { limitsOf, type Platform, type PlatformManifest } from './platforms.ts';

const installed = dirname(createRequire(import.meta.url).resolve('onnxruntime-node/package.json'));
export const onnxruntimeVersion = (JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as { version: string }).version;

/** As search/embedding/onnxruntime.ts asks for it. */
export function onnxruntimePackageOf({ os, cpu }: Platform): string {
  return `@commonplace/onnxruntime-${os}-${cpu}`;
}

/** Its code in lib/index.cjs, where it finds the binary as it does in its own package. */
export async function writeOnnxruntime({ os, cpu }: Platform, target: string): Promise<void> {
  const { output } = await build({
    input: { index: join(installed, 'dist/index.js') },
    platform: 'node',
    logLevel: 'warn',
    output: { dir: join(target, 'lib'), format: 'cjs', entryFileNames: '[name].cjs' },
  });
  const binaries = join('bin/napi-v6', os, cpu);
  // npm can't pack links, so macOS's library is there a second time under the name that nothing asks for.
  for (const file of globSync('*', { cwd: join(installed, binaries), exclude: ['libonnxruntime.*.*.*.dylib'] })) {
    cpSync(join(installed, binaries, file), join(target, binaries, file));
  }
  writeFileSync(join(target, 'NOTICES'), noticesOf(output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []))));
}

/** Of a package that npm installs where it fits. */
export function onnxruntimeManifest(platform: Platform): PlatformManifest {
  const { os, cpu } = platform;
  return {
    name: onnxruntimePackageOf(platform),
    version: onnxruntimeVersion,
    description: `ONNX Runtime for Commonplace on ${os}, ${cpu}: the part of onnxruntime-node that this platform needs.`,
    license: 'MIT',
    main: 'lib/index.cjs',
    files: ['lib', 'bin', 'NOTICES'],
    ...limitsOf(platform),
  };
}

export async function writeOnnxruntimePackage(platform: Platform, target: string): Promise<void> {
  await writeOnnxruntime(platform, target);
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(onnxruntimeManifest(platform), null, 2)}\n`);
}
