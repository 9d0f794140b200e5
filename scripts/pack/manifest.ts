/** The package.json that is published: everything is inside, so nothing is installed beside it but the embedding runtime. */
import { onnxruntimeVersion, type Platform, packageNameOf, platforms } from './onnxruntime.ts';

export interface Form {
  /** One platform, whose runtime is inside; or all, from the registry. */
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
  if (form.for !== 'registry') return { ...common, os: [form.for.os], cpu: [form.for.cpu] };
  const runtimes = platforms.map((platform) => [packageNameOf(platform), onnxruntimeVersion]);
  return { ...common, optionalDependencies: Object.fromEntries(runtimes) };
}
