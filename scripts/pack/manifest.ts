/** The package.json that is published: everything is inside, so nothing is installed beside it but what each platform has of its own. */
import { nodePackageOf, nodeVersion } from './node.ts';
import { onnxruntimePackageOf, onnxruntimeVersion } from './onnxruntime.ts';
import { limitsOf, type Platform, platforms } from './platforms.ts';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly type: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly files: readonly string[];
  readonly engines: Readonly<Record<string, string>>;
}

/** For one platform, whose Node and embedding runtime are inside; or for all, of which npm takes the packages that fit. */
export function publishedManifest(
  { name, version, description, license, type, bin, files, engines }: Manifest,
  platform: Platform | 'all',
): object {
  const common = { name, version, description, license, type, bin, files, engines };
  if (platform !== 'all') return { ...common, ...limitsOf(platform) };
  const runtimes = platforms.flatMap((each) => [
    [onnxruntimePackageOf(each), onnxruntimeVersion],
    [nodePackageOf(each), nodeVersion],
  ]);
  return { ...common, optionalDependencies: Object.fromEntries(runtimes) };
}
