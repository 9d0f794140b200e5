/** What Kubernetes accepts, by the schemas of its API in packages that are fetched once. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cachedPackages } from '../../packages/server/test/cached-packages.ts';

const PACKAGES = { 'kubernetes-models': '5.1.0', '@kubernetes-models/prometheus-operator': '6.0.0' };
const OPERATOR = 'monitoring.coreos.com';

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: object; readonly annotations?: Readonly<Record<string, string>> };
  // biome-ignore lint/suspicious/noExplicitAny: each kind has another.
  readonly spec?: any;
  readonly stringData?: Readonly<Record<string, string>>;
}

type Model = new (data: object) => { validate(): void };

/** Says what is wrong with a manifest; nothing where all is well. */
export async function readKubernetesSchemas(): Promise<(manifest: Manifest) => Promise<string[]>> {
  const folder = await cachedPackages('kubernetes-models-5.1.0-6.0.0', PACKAGES, '@kubernetes-models/prometheus-operator/package.json');
  return async (manifest) => {
    const { apiVersion, kind } = manifest;
    const source = apiVersion.startsWith(OPERATOR) ? '@kubernetes-models/prometheus-operator' : 'kubernetes-models';
    const file = join(folder, 'node_modules', source, apiVersion, `${kind}.js`);
    const Kind = ((await import(pathToFileURL(file).href)) as Record<string, Model>)[kind] as Model;
    const read = new Set<string>();
    const model = new Kind(manifest);
    try {
      Kind.prototype.validate.call(noting(model, '', read));
    } catch (error) {
      return [`${kind}: ${(error as Error).message}`];
    }
    return unread(manifest, '', read).map((path) => `${kind}: ${path} is no field`);
  };
}

/** The schemas let fields pass that they don't know. So it is noted which are looked at: the others are unknown. */
function noting<T extends object>(value: T, path: string, read: Set<string>): T {
  return new Proxy(value, {
    get: (target, key) => {
      const found: unknown = Reflect.get(target, key);
      if (typeof key === 'symbol') return found;
      read.add(`${path}/${key}`);
      return typeof found === 'object' && found !== null ? noting(found, `${path}/${key}`, read) : found;
    },
  });
}

function unread(value: object, path: string, read: ReadonlySet<string>): string[] {
  return Object.entries(value).flatMap(([key, child]) => {
    const place = `${path}/${key}`;
    if (!read.has(place)) return [place];
    return typeof child === 'object' && child !== null ? unread(child, place, read) : [];
  });
}
