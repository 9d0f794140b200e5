/** The package.json that is published: everything is inside, so nothing is installed beside it but what each platform has of its own. */
import { nodePackageOf, nodeVersion } from './node.ts';
import { onnxruntimePackageOf, onnxruntimeVersion } from './onnxruntime.ts';
import { limitsOf, type Platform, platforms } from './platforms.ts';

export interface Form {
  /** One platform, whose Node and embedding runtime are inside; or all, from the registry. */
  readonly for: Platform | 'registry';
}

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

export function publishedManifest({ name, version, description, license, type, bin, files, engines }: Manifest, form: Form): object {
  const common = { name, version, description, license, type, bin, files, engines };
  if (form.for !== 'registry') return { ...common, ...limitsOf(form.for) };
  const runtimes = platforms.flatMap((platform) => [
    [onnxruntimePackageOf(platform), onnxruntimeVersion],
    [nodePackageOf(platform), nodeVersion],
  ]);
  return { ...common, optionalDependencies: Object.fromEntries(runtimes) };
}
